"""Everything that was said before: the memory of a session, transcripts, erasure."""
