"""A second opinion: a model that reads the best passages with the question, and says of each
sentence whether it answers. MODEL_CARD.md tells what it is, and what it was trained on."""
