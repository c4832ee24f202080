# Charsets to UTF-8, for other compiled modules only (see _charset.pxd).
