"""What is read from English text by rule, where no model is used."""
