"""All hostile files."""

from bench.hostile import (
    archives,
    containers,
    images,
    names,
    old_office,
    pdfs,
    sounds,
    structured,
    texts,
)

FILES = (
    *archives.FILES,
    *containers.FILES,
    *pdfs.FILES,
    *texts.FILES,
    *structured.FILES,
    *old_office.FILES,
    *images.FILES,
    *sounds.FILES,
    *names.FILES,
)
