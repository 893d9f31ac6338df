"""What every command needs, imported once before commands are forked."""

from memtriage.text.tokens import count_tokens

count_tokens("the vocabulary")
