"""What makes and proves what ships. Nothing in the product imports it, and an image does not hold
it.

Rooms that make weights: `evaluation`, `calibration`, `reader`. Rooms that measure: `tables`,
`formats`, `speed`, and `system`, whose jobs run against a whole copy of the service, by night or by
hand. Rooms that guard a release: `supply`, `mutations`, `suite`. Loose: `service.py` starts the
copy that most of them ask, `figures.py` counts the house, and `walk.py` follows a question.
"""
