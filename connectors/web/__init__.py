"""Websites: crawled within one site and below the start path, politely.

start.py     the start page, robots.txt, which pages belong to the source
crawl.py     one page after the other; frontier.py says which is next
visits.py    waits, retries, the end of the time
pages.py     an answer becomes text, links and wishes of the page (in the confined process)
repeats.py   what every page says again
files.py     the documents that pages link to, after all pages
connector.py turns it into documents; preflight.py looks before there is a source
"""
