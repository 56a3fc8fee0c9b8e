"""Trying an agent, seeing why it answers as it does, and marking what is wrong."""
