"""The stored original of an upload: writing it, reading it, handing it out."""
