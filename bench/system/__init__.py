"""Jobs against a whole copy of the service, for the night or by hand: minutes to an hour each.

`python -m bench.system.chaos` kills every process at random under mixed load;
`python -m bench.system.programs.NAME` lets other people's programs speak to the service;
`bench.system.connectors.measure` syncs from each provider's stand-in. Each writes or prints
Markdown, which bench/results keeps. `bench.system.pictures` takes pictures of all pages.
"""
