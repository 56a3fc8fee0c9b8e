"""Where answers come from: what is there, how it is, and how more is added."""
