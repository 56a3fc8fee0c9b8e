"""All hostile files."""

from bench.hostile import archives, images, names, pdfs, sounds, texts

FILES = (
    *archives.FILES,
    *pdfs.FILES,
    *texts.FILES,
    *images.FILES,
    *sounds.FILES,
    *names.FILES,
)
