"""Who writes to whom: the owner of the mailbox, those whom she knows, and strangers.

Mara Lind looks after the charts of a small harbour museum; it works with partners in several countries, which
is why her mail has so many languages. Nobody here exists, and neither does any of the domains: all of them
end in ``.example``, ``.test`` or ``.invalid``, which are reserved.
"""

from __future__ import annotations

from deciban.sample.dice import Dice
from deciban.value import Value


class Person(Value):
    """A name and an address."""

    name: str
    address: str

    @property
    def first(self) -> str:
        """What friends say; Chinese and Japanese names are not taken apart."""
        return self.name.split(" ")[0]

    @property
    def domain(self) -> str:
        """Where the address is."""
        return self.address.partition("@")[2]


OWNER = Person("Mara Lind", "mara.lind@harbourcharts.example")

# Providers where anybody can have an address: friends have one there, and so do fraudsters.
FREE_PROVIDERS = ("post.example", "mailbox.example", "webpost.example", "briefkasten.example")

# Those from whom she has had mail, by how she knows them.
_KNOWN: dict[str, tuple[tuple[str, str], ...]] = {
    "friend.english": (
        ("Ines Calder", "ines.calder@post.example"),
        ("Tom Ashdown", "tom@ashdown.example"),
        ("Priya Venn", "priya.venn@mailbox.example"),
        ("Owen Mallory", "o.mallory@webpost.example"),
        ("Ruth Okello", "ruth.okello@post.example"),
        ("Dad", "per.lind@mailbox.example"),
    ),
    "colleague.english": (
        ("Hanne Brook", "hanne.brook@harbourcharts.example"),
        ("Idris Cole", "idris.cole@harbourcharts.example"),
        ("Noor Haddow", "noor.haddow@harbourcharts.example"),
        ("Felix Tarn", "f.tarn@northquay.example"),
        ("Sunniva Dahl", "sunniva@fjordarchive.example"),
    ),
    "colleague.german": (
        ("Jörg Brandstätter", "j.brandstaetter@kartenhaus.example"),
        ("Käthe Wöhler", "woehler@kartenhaus.example"),
        ("Annette Füßl", "annette.fuessl@briefkasten.example"),
    ),
    "colleague.french": (
        ("Élodie Marchais", "elodie.marchais@atelier-des-cartes.example"),
        ("Benoît Lacaze", "b.lacaze@quai-sud.example"),
    ),
    "colleague.spanish": (
        ("Íñigo Beltrán", "inigo.beltran@faroabierto.example"),
        ("Lucía Peñalver", "lucia@faroabierto.example"),
    ),
    "colleague.portuguese": (
        ("João Falcão", "joao.falcao@casadomar.example"),
        ("Conceição Brás", "c.bras@casadomar.example"),
    ),
    "colleague.chinese": (("陈晓岚", "chen.xiaolan@haitu.example"), ("林志远", "lin.zhiyuan@haitu.example")),
    "colleague.japanese": (
        ("中村 遥", "nakamura@minato-chizu.example"),
        ("小川 健", "ogawa@minato-chizu.example"),
    ),
    "colleague.russian": (
        ("Вера Лагутина", "v.lagutina@mayak-muzey.example"),
        ("Пётр Снегов", "snegov@mayak-muzey.example"),
    ),
    "chart-list": (
        ("Aldo Renn", "aldo.renn@mailbox.example"),
        ("Greta Solheim", "greta@solheim.example"),
        ("K. Abara", "kabara@webpost.example"),
        ("Mick Doyle", "mick.doyle@post.example"),
        ("Yusra Amin", "yusra@coastline.example"),
    ),
    "code-list": (
        ("Dana Whitlock", "dana@whitlock.example"),
        ("Pavel Horn", "phorn@tilelab.example"),
        ("Sacha Merle", "sacha.merle@webpost.example"),
        ("build robot", "builds@opentiles.example"),
    ),
}

# A mailing list: its address and what it calls itself.
LISTS = {
    "chart-list": Person("Old charts", "oldcharts@lists.coastline.example"),
    "code-list": Person("opentiles developers", "dev@lists.opentiles.example"),
}

# Senders of bulk mail: what stands before the @, and the domain.
SHOPS = {
    "paper": Person("Paper & Plume", "hello@news.paperplume.example"),
    "rail": Person("Coastline Rail", "tickets@coastrail.example"),
    "books": Person("Lantern Books", "offers@mail.lanternbooks.example"),
    "outdoor": Person("Ridge & Rain", "news@ridgeandrain.example"),
    "journal": Person("The Cartographer's Letter", "letter@cartoletter.example"),
    "bank": Person("Harbour Mutual Bank", "service@harbourmutual.example"),
    "parcel": Person("Swiftparcel", "no-reply@swiftparcel.example"),
    "hosting": Person("Quayside Hosting", "billing@quaysidehosting.example"),
    "theatre": Person("Theater am Kai", "newsletter@theater-am-kai.example"),
    "seeds": Person("Graines du Large", "bonjour@grainesdularge.example"),
    "train-es": Person("Trenes del Norte", "billetes@trenesdelnorte.example"),
}

_STRANGERS = {
    "english": (
        "Grace Adebari", "Martin Keller", "Linda Ross", "Dr. Samuel Oyelo", "Anna Petrak", "Kevin Marsh",
        "Olivia Hart", "James Whitcombe", "Sofia Lane", "Rachel Kim", "Daniel Foster", "Emma Stone-Hale",
        "Victor Adeyo", "Nina Volk", "Peter Lund", "Chloe Bennet",
    ),
    "german": ("Sabine Krüger", "Dr. Markus Engel", "Heike Sommer", "Ralf Böttcher"),
    "french": ("Sophie Valette", "Jean-Marc Périer", "Service clients", "Odile Fabre"),
    "spanish": ("María Quesada", "Andrés Muñoz", "Atención al cliente"),
    "portuguese": ("Marta Assunção", "Ricardo Leão", "Central de Prêmios"),
    "chinese": ("张经理", "财务部", "李小姐", "培训中心"),
    "japanese": ("抽選事務局", "さくら", "運営サポート"),
    "russian": ("Алина", "Отдел продаж", "Виктория Орлова", "Служба поддержки"),
}  # fmt: skip
_TRADES = (
    "deals", "news", "media", "shop", "promo", "leads", "online", "direct", "group", "digital", "service",
    "track", "world",
)  # fmt: skip


def known(group: str, language: str, dice: Dice) -> Person:
    """Somebody from whom the owner has had mail before."""
    return Person(*dice.pick(_KNOWN[group if group in LISTS else f"{group}.{language}"]))


def stranger(language: str, dice: Dice, free: bool = False) -> Person:
    """Somebody new, at a domain of his own or at a provider where anybody can have an address."""
    name = dice.pick(_STRANGERS[language])
    if free:
        local = _plain(name, dice) + dice.pick(["", dice.digits(2), dice.digits(3)])
        return Person(name, f"{local}@{dice.pick(FREE_PROVIDERS)}")
    local = dice.pick(["info", "contact", "news", "office", "sales", "noreply", _plain(name, dice)])
    return Person(name, f"{local}@{strange_host(dice)}")


def strange_host(dice: Dice) -> str:
    """A domain that was registered yesterday."""
    host = dice.word() + dice.pick(["", "-"]) + dice.pick(["", *_TRADES])
    return host.rstrip("-") + dice.pick([".example", ".example", ".test", ".invalid"])


def _plain(name: str, dice: Dice) -> str:
    """What stands before the @: the name where it is ASCII, something like a name where it is not."""
    if not name.isascii():
        return dice.word()
    return ".".join(word.strip(".").lower() for word in name.split()[-2:])
