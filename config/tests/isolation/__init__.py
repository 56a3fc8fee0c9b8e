"""The isolation matrix: every endpoint × whose object it is × who asks, each cell judged alike.

`url_table` says which endpoints there are, `rows` and `public_rows` what each is for, `world` makes
two tenants full of rows, `matrix` runs the cells. `leaky` holds views that must be caught.
"""
