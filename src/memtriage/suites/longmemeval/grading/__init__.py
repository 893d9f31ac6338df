"""How answers are graded: by words, by a judge, and from files of answers."""
