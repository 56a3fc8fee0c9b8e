"""All hostile files."""

from bench.hostile import archives, containers, images, names, pdfs, sounds, structured, texts

FILES = (
    *archives.FILES,
    *containers.FILES,
    *pdfs.FILES,
    *texts.FILES,
    *structured.FILES,
    *images.FILES,
    *sounds.FILES,
    *names.FILES,
)
