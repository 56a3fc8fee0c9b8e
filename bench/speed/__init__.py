"""How fast and how large the product is, beside a limit that is measured in the same rounds.

`bin/manage bench NAME` measures one thing: the module NAME of this folder, which says `HELP`, adds
its options with `add_arguments` and gives a `Measurement` with `measure`. Start at
`measurement.py`.
"""
