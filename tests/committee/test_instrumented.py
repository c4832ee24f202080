"""What reads lessons and states from files, under AddressSanitizer: its own tests, and damaged bytes."""

from tests.sanitizer import instrumented, pass_under_the_sanitizer

DAMAGED = """
import random
import tempfile
from array import array
from deciban.errors import DamagedLedger, DamagedSnapshot
from deciban.committee._committee import Committee, Glance
from deciban.committee._lesson_code import Features
from deciban.committee.settings import Settings
from deciban.committee.shape import Shape

rng = random.Random(1)
settings = Settings(bits=6)
lessons = [
    Features.of(*(array("Q", sorted(rng.getrandbits(64) for _ in range(rng.randrange(200)))) for _ in "wl"))
    for _ in range(20)
]

def damaged(data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return data[: rng.randint(1, len(data))] if rng.random() < 0.3 else data

def begin(shape):
    return Committee.fresh(settings, shape=shape)

refused = 0
for capacity in (2, 4):
    committee = Committee.fresh(settings, capacity)
    for number, features in enumerate(lessons):
        committee.learn("spam" if number % 2 else "ham", features)
    code = committee.state()
    for shape in (committee.shape, Shape.for_rows(capacity, 6, 120, is_layer=True)):
      state = bytearray(Committee.size(settings, shape))
      Committee.begin(settings, shape, state).take_over(committee)
      for features in lessons * 25:
          try:
              other = Features.decode(bytes(damaged(features.encode())))
              Committee(settings, bytearray(state)).learn("work" if capacity > 2 else "ham", other)
          except DamagedLedger:
              refused += 1
          try:
              Committee(settings, damaged(state)).learn("ham", features)
          except DamagedSnapshot:
              refused += 1
          try:
              Committee.of_state(settings, bytes(damaged(code)), capacity, begin)
          except DamagedSnapshot:
              refused += 1
          with tempfile.TemporaryFile(buffering=0) as file:
              file.write(damaged(state))
              try:
                  Glance(settings, file.fileno(), 0).score(features)
              except DamagedSnapshot:
                  refused += 1
print("refused", refused)
"""


def test_the_tests_of_lessons_and_committee_pass_under_the_sanitizer() -> None:
    files = ("test_lesson_code.py", "test_committee.py", "test_shared_rows.py")
    pass_under_the_sanitizer(*(f"tests/committee/{file}" for file in files))


def test_damaged_lessons_and_states_are_refused_under_the_sanitizer() -> None:
    done = instrumented("-c", DAMAGED)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) > 1000
