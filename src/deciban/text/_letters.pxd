from deciban.text._content cimport Content
from deciban.text._harvest cimport Harvest

# How many bytes of what are looked at.
ctypedef struct Budgets:
    Py_ssize_t headers
    Py_ssize_t text
    Py_ssize_t body

cdef int gather_letters(const Content* content, Harvest* harvest, Budgets budgets) except -1 nogil
