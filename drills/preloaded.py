"""What every command needs, imported once before commands are forked."""

import memtriage.api
import memtriage.cli.main
import memtriage.pipeline.run
import memtriage.report.terminal.progress
import memtriage.report.terminal.show
from memtriage.text.tokens import count_tokens

count_tokens("the vocabulary")
