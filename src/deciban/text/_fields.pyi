# Names of header fields, for other compiled modules only (see _fields.pxd).
