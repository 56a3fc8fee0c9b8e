"""A made-up coffee roaster whose files the demo tenant answers from. Every text here is ours."""
