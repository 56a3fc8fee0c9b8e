"""Files made here, each about one fault that readers have, with what it says known. Start with catalogue.py."""
