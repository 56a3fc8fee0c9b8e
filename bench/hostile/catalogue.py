"""All hostile files."""

from bench.hostile import archives, images, names, pdfs, sounds, structured, texts

FILES = (
    *archives.FILES,
    *pdfs.FILES,
    *texts.FILES,
    *structured.FILES,
    *images.FILES,
    *sounds.FILES,
    *names.FILES,
)
