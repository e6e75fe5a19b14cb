"""Publish the page and tables as a folder of files, for any host that needs no program."""
