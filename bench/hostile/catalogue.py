"""All hostile files."""

from bench.hostile import archives, containers, images, names, pdfs, sounds, texts

FILES = (
    *archives.FILES,
    *containers.FILES,
    *pdfs.FILES,
    *texts.FILES,
    *images.FILES,
    *sounds.FILES,
    *names.FILES,
)
