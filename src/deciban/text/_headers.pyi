# Header fields, for other compiled modules only (see _headers.pxd).
