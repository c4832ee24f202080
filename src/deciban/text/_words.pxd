from deciban.text._content cimport Content
from deciban.text._harvest cimport Harvest

cdef int gather_words(const Content* content, Harvest* harvest) except -1 nogil
cdef int gather_outside_fact(Harvest* harvest, bytes name) except -1
