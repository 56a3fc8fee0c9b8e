"""What the conformance suite wants to find in a server, registered in copies for it alone.

Beside the product's own tools and resources, and served by the same code. Only of kinds that the
product has: no prompts, pictures or questions back to the program.
"""
