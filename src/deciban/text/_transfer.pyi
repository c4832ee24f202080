# Transfer encodings, for other compiled modules only (see _transfer.pxd).
