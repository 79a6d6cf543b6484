"""What is asked of a snippet, how answers are read, and what they are worth."""
