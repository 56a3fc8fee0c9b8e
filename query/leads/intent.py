"""Does a message show the wish to buy? Spanish, of Spain and America, and English; without a model.

Signs add up in a clause: a wish ("quiero contratar") counts for, a purchase already made ("my
order") against. Some things settle it for the whole message: a joke, a seller, somebody who looks
for work, words put into our mouth. Precision comes first: whoever asks what something costs is
answered, and not asked for an address. Measured with bench/score_leads.py.
"""

from __future__ import annotations

import re

from language.chat import write_out
from language.words import fold
from query.understanding.utterances import Utterance

ENOUGH = 2  # signs of a clause, summed up
SIGN_MAX_CHARS = 60  # between two words that make a sign together


def any_of(*words: str) -> str:
    """A pattern for one of these patterns, at word boundaries."""
    return rf"\b(?:{'|'.join(words)})\b"


def few_words(at_most: int) -> str:
    return rf"(?:\W+\w+){{0,{at_most}}}?\W+"


# --- Words. All patterns read folded text: no accents, lower case, ñ kept. ------------------------

WANT_ES = any_of(
    "quiero", "queremos", "quisiera(?:mos)?", "quer(?:r?ia)(?:mos)?", "deseo", "deseamos",
    "desearia(?:mos)?", "necesit(?:o|amos|aria|ariamos)", "busc(?:o|amos)", "pienso", "pensamos",
    "(?:me|nos) (?:gustaria|encantaria|interesa(?:ria)?)", "(?:voy|vamos) a", "planeo",
    "(?:estoy|estamos|ando|andamos) (?:interesad\\w+ en|pensando en|buscando|decidid\\w+ a)",
    "(?:estoy|estamos) list\\w+ para", "(?:tengo|tenemos) (?:la )?(?:intencion|ganas) de",
    "mi (?:empresa|equipo|familia) (?:quiere|necesita|busca)", "pued[oa]", "podemos",
    "podria(?:mos)?",
    "(?:como|que) (?:le )?(?:hago|hacemos|hay que hacer|tengo que hacer) para",
    "(?:pasos|requisitos)(?: \\w+){0,4} para",
)  # fmt: skip
BUY_ES = any_of(
    "(?:compr|contrat|encarg|reserv|orden|alquil|rent|matricul|apunt|cotiz|abon|agend)ar"
    "(?:(?:me|te|nos|os|se)?l[aeo]s?|me|nos|os|te|les)?",
    "(?:suscrib|inscrib)ir(?:me|nos|l[ao]s?)?", "dar(?:me|nos) de alta",
    "hacer(?:me|nos|os|les)? (?:clientes?|socios?|"
    "(?:un|una|mi primera?|nuestr[oa] primera?) (?:\\w+ )?(?:pedido|reserva|encargo))",
    "ser clientes?", "llevar(?:me|nos)(?:l[ao]s?)?", "(?:consegu|adquir)ir(?:me|nos)?(?:l[ao]s?)?",
    "(?:pedir|coger|sacar|tener) (?:\\w+ )?(?:cita|hora|turno|mesa|plaza)",
)  # fmt: skip
WANT_EN = any_of(
    "(?:i|we)(?: would|'d)? (?:\\w+ )?(?:want(?:ed)?|like|love|wish|need|plan|intend|hope|"
    "decided) to",
    "(?:and|but|now|also|still) (?:i |we )?(?:want|need|wish|would like) to",
    "(?:looking|ready|keen) to",
    "(?:i'm|i am|we're|we are) (?:going|planning|hoping) to",
    "(?:interested|thinking) (?:in|of|about)", "(?:can|could|may|might) (?:i|we)",
    "(?:how|where) (?:do|can|could|should|would) (?:i|we)(?: go about)?",
    "(?:have to|need to|must i|should i) do to", "(?:steps|possible) to",
)  # fmt: skip
BUY_EN = any_of(
    "buy(?:ing)?", "purchas(?:e|ing)", "order(?:ing)?", "book(?:ing)?", "reserv(?:e|ing)",
    "hir(?:e|ing)", "rent(?:ing)?", "leas(?:e|ing)", "subscrib(?:e|ing)", "sign(?:ing)? up",
    "enrol(?:l|ling|ling)?", "acquir(?:e|ing)", "go with",
    "becom(?:e|ing) an? (?:\\w+ )?(?:customer|client|member)", "switch(?:ing)? to",
    "upgrad(?:e|ing) to", "get (?:it|one|them|this|that|started)",
    "(?:mak|plac)(?:e|ing) (?:an?|(?:my|our) first) (?:\\w+ )?"
    "(?:order|appointment|booking|reservation)",
    "schedul(?:e|ing)", "go for", "settl(?:e|ing) on",
    "take (?:it|one|them|two|three|four|five|six|\\d+)",
)  # fmt: skip
ADVERBS = (
    r"(?: (?:a|de|en|por|poder|tambien|ahora|ya|hoy|mas|also|now|still|just|finally|please)){0,2} "
)

# "I want to know how to cancel" is not a wish to buy, although "order" may follow.
GAP_ES = (
    r"(?:\W+(?!(?:saber|entender|conocer|comprender|devol\w+|cancel\w+|cambi\w+|modific\w+"
    r"|anul\w+|dejar|si|quien|mis?|trabajar|vender|ver)\b)\w+){0,4}?\W+"
)
TRY_ES = any_of("probar(?:l[ao]s?)?", "empezar (?:el|la|con|en|ya)", "unirme", "formar parte")
TRY_EN = any_of("try", "join", "start (?:on|with|in|using|next)", "stock")
GOODS = any_of(
    "(?:el|la|un|una|the|a|an|your) (?:\\w+ )?(?:plan|pack|package|curso|course|modelo|licencia|"
    "licence|license|suscripcion|subscription|abono|bono|pass|kit|tarifa|class|mesa|table|cita|"
    "appointment|habitacion|room|entrada|ticket|seat|lote|one)",
    "mesa", "cita", "hora", "turno", "plaza", "entradas", "tickets", "one", "it", "them", "uno",
)  # fmt: skip
NOT_TO_BUY = r"(?! (?:back|to|gone|fixed|repaired|refunded|cancelled|changed|de vuelta|libre))"
CRAFT = (
    r"(?:fontaner|electricist|pintor|abogad|fotograf|carpinter|albañil|cerrajer|jardiner|profesor|"
    r"asesor|arquitect|plumber|electrician|painter|lawyer|photographer|carpenter|builder|"
    r"locksmith|gardener|tutor|accountant|architect|caterer|cleaner)\w*"
)
OFFER_ES = any_of(
    "presupuestos?", "cotizaci(?:on|ones)", "proforma", "oferta", "tarifas", "precios?", "demo",
    "demostracion", "prueba (?:gratis|gratuita)", "lista de precios",
)  # fmt: skip
ASK_ES = any_of(
    "solicit(?:o|amos)", "pedir(?:os|les|te)?", "pid(?:o|imos)", "ver", "tener", "recibir",
    "quiero", "queremos", "quisiera(?:mos)?", "quer(?:r?ia)(?:mos)?", "necesit(?:o|amos)",
    "deseo", "(?:me|nos) (?:pod|pued|hac|pas|prepar)\\w+", "(?:pod|pued)\\w+ \\w+(?:me|nos)",
    "(?:haz|haced|hagan|haga|pas\\w+|envi\\w+|mand\\w+|dad?|den|prepar\\w+)(?:me|nos)",
)  # fmt: skip
OFFER_EN = any_of(
    "quote", "quotation", "estimate", "pricing", "price list", "prices", "proposal", "demo",
    "demonstration", "(?:free )?trial", "offer", "rates", "a (?:\\w+ )?price",
)  # fmt: skip
ASK_EN = any_of(
    "need", "want", "get", "have", "see", "(?:would|'d) (?:like|love)", "request(?:ing)?",
    "(?:send|give|e-?mail|make|prepare|provide)(?: me| us)", "schedule", "arrange",
)  # fmt: skip
OWN_PLACE = any_of(
    "(?:para|de) (?:mi|nuestr[oa]s?) (?:empresa|equipo|negocio|oficina|despacho|restaurante|"
    "tienda|clinica|estudio|boda|evento|colegio|bar|hotel|local|flota)",
    "for (?:my|our) (?:company|team|business|office|restaurant|shop|store|clinic|studio|wedding|"
    "event|school|bar|hotel|fleet)",
)
PRICE = any_of(
    "precios?", "tarifas?", "presupuesto", "cotizacion", "cuanto (?:\\w+ )?(?:cuest|cost|sal|ser|"
    "val|cobr)\\w*", "price", "prices", "pricing", "quote", "rates", "how much", "cost",
)  # fmt: skip
SEVERAL = (
    "(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|quince|veinte|treinta|cuarenta|"
    "cincuenta|cien|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|"
    "forty|fifty|a hundred|(?!(?:19|20)\\d\\d\\b)[1-9]\\d{0,4})"
)
MANY = (
    "(?:diez|doce|quince|veinte|treinta|cuarenta|cincuenta|cien|ten|twelve|fifteen|twenty|"
    "thirty|forty|fifty|a hundred|(?!(?:19|20)\\d\\d\\b)[1-9]\\d{1,4})"
)
# What is counted and not bought
NO_GOODS = (
    r"(?!(?:de|en|y|o|a|of|in|and|or|to|euros?|eur|dolares|pesos|dollars|pounds|usd|libras|"
    r"minut\w*|hours?|horas?|days?|dias|weeks?|semanas|months?|mes(?:es)?|years?|años|seg\w*|"
    r"sec\w*|metros?|met\w*|km|kg|kilometros|miles|por|percent|cosas|things|questions|preguntas|copi\w*|explic\w*|"
    r"dudas|veces|times|more|mas)\b)[^\W\d]\w+"
)

# --- Signs for, and against ----------------------------------------------------------------------

SIGNS: tuple[tuple[int, str], ...] = (
    # I want to buy
    (4, WANT_ES + ADVERBS + BUY_ES),
    (3, WANT_ES + GAP_ES + BUY_ES),
    (3, WANT_ES + " " + TRY_ES),
    (3, WANT_EN + " " + TRY_EN),
    (2, r"\b(?:i|we)(?: would|'d)? (?:want(?:ed)?|like|love) to get "
        r"(?!my|to|in\b|into|back|rid|out|help|info|access|(?:an? |the )?(?:refund|reply|response|"
        r"answer|copy|receipt|invoice|certificate|replacement|discount|money))"),
    (3, r"\binfo(?:rmation|rmacion)?\W+(?:\w+\W+){0,2}?(?:to|on|about|for|de|para|sobre)\W+"
        rf"(?:{BUY_EN}|{BUY_ES})"),
    (3, r"\b(?:quiero|queremos|quisiera|want|need|'d like|would like|will have) "
        + GOODS + NOT_TO_BUY),
    (3, r"\bl[ao]s? (?:quiero|queremos)(?:$|,| (?:para|en|ya|con|de)\b)"),
    (3, r"\b(?:i|we|let's)(?:'ll| will|'ve|'re| have| are)? (?:going to )?"
        r"(?:go(?:ing)? (?:for|with)|settled on|decided on)\b"),
    (3, rf"\b(?:i|we)(?:'ll| will) {BUY_EN}"),
    (3, r"\b(?:me|nos) (?:(?:he|hemos) decidido|decido|decidimos|decanto|decantamos) (?:por|a)\b"),
    # do it for us
    (3, r"\b(?:quiero|queremos|quisiera(?:mos)?|necesit\w+|(?:me|nos) gustaria) que "
        r"(?:(?:me|nos|os|le|les|l[ao]s?|vosotros|ustedes) )+"
        r"(?!dev|cancel|quit|borr|elimin|dej|expli|dig|contest|atend|respond|arregl|cambi|pag|sep)"
        r"\w+(?:eis|ais|ran|an|en)\b"),
    (3, r"\b(?:want|need|like) you (?:guys |all )?to "
        r"(?!return|refund|cancel|stop|delete|explain|tell|answer|fix|change|know|say|pay|give)"),
    (2, r"\bcuanto (?:me|nos) (?:cobr|cost|sald|pedi|llev)\w*(?:ria|rias|riais|rian)\b"),
    (2, r"\b(?:what|how much) would (?:you|it|that) (?:charge|cost (?:me|us))\b"),
    (2, r"\b(?:pod|pued)\w+ (?:llamar|contactar|escribir)(?:me|nos) (?:para|sobre|por)\b"),
    (2, r"\b(?:can|could|would) (?:you|someone|somebody) (?:ring|call|phone|contact|e-?mail) "
        r"(?:me|us) (?:about|for|to|regarding)\b"),
    (2, r"\b(?:necesit\w+|busc\w+|falta|contratar|need|after|looking for|hire) "
        rf"(?:an? |un |una )(?:good |buen )?{CRAFT}"),
    (3, r"\b(?:mand|envi|pas)\w+(?:me|nos)(?:l[ao])? (?:ya )?(?:el |un )?"
        r"(?:contrato|enlace de pago|formulario|link de pago)\b"),
    (3, r"\b(?:send|give|e-?mail) (?:me|us) (?:the|a) (?:contract|payment link|order form)\b"),
    (3, any_of(
        "(?:precio|descuento|rebaja|oferta) si (?:\\w+ )?(?:cojo|compro|llevo|pido|compramos|"
        "contrat\\w+|cogemos|llevamos|pedimos)",
        "(?:discount|deal|price|offer) if (?:i|we) (?:get|take|buy|order|book|hire)",
        "me l[ao]s? pido", "(?:te|os|les) pido " + SEVERAL,
        "(?:cuenta|contad|cuenten|cuente) conmigo", "i'm in(?: for|,|$)", "price up",
    )),
    (2, any_of(
        "(?:a )?donde (?:l[ao]s? |os )?(?:pago|abono)(?=$|,)", "hago el pago", "os pago",
        "where do (?:i|we) pay(?=$|,)", "shall (?:i|we) pay", "how to pay(?=$|,| and)",
    )),
    (4, WANT_EN + ADVERBS + BUY_EN),
    # send me a quote
    (3, ASK_ES + few_words(4) + OFFER_ES),
    (3, ASK_EN + few_words(4) + OFFER_EN),
    (3, r"^\W*(?:un |una )?(?:presupuesto|cotizacion) (?:para|de)\b"),
    (3, r"^\W*(?:an? )?(?:quote|quotation|estimate|pricing) for\b"),
    (3, any_of("cotizar(?:me|nos)?", "presupuestar(?:me|nos)?", "quote (?:me|us)")),
    # how do I order it, I'll take it, sign me up
    (3, r"\b(?:como|donde) (?:(?:me|nos|l[ao]s?|se) ){0,2}"
        r"(?:compro|compra|contrata|contrato|encargo|reservo|pido|suscribo|apunto|alquilo|adquiero)\b"),
    (3, any_of(
        "me l[ao]s? (?:quedo|llevo)", "me (?:quedo con|llevo) (?:el|la|los|las|un|una|dos|tres)",
        "l[ao]s? compro", "me (?:apunto|suscribo|inscribo)", "os (?:lo |la )?(?:compro|contrato)",
        "(?:reserv|apunt|inscrib|suscrib)[ae]d?(?:me|nos)", "nos quedamos con",
    )),
    (3, rf"\b(?:pon|ponga|poned|mand|manda|mande|envia|envie|enviad|mandad)(?:me|nos) "
        rf"(?:un|una|medio|{SEVERAL})\b"),
    (3, any_of(
        "(?:i|we)(?:'ll| will) (?:take|have) (?:it|them|one|the|this|that|" + SEVERAL + ")",
        "(?:sign|put) (?:me|us) (?:up|down|on the \\w*list)", "count (?:me|us) in",
        "(?:reserve|book) (?:me |us )?(?:a|an|one|the|" + SEVERAL + ") .*(?:for|me|us|please)",
    )),
    # I am interested in it
    (2, r"\b(?:me|nos) interesa(?:n|ria|rian)?\b"
        r"(?! (?:saber|conocer|entender|aprender|que|quien|como|trabajar|vender)"
        r"| (?:mucho )?(?:la|el|su|vuestra) (?:historia|opinion|puesto|vacante|cultura))"),
    (2, r"\b(?:(?:estoy|estamos)(?: muy)? interesad[oa]s?|(?:i'm|i am|we're|we are)(?: \w+)? "
        r"interested)\W*$"),
    (2, r"\binteresad[oa]s? en\b(?! (?:saber|conocer|entender|aprender|trabajar|vender))"),
    (2, r"(?:^\W*|\b(?:am|are|'m|'re|be)(?: \w+)? )interested in\b"
        r"(?! (?:knowing|learning|hearing|understanding|how|what|why|working|selling))"),
    # 20 of them; for my company
    (2, PRICE + few_words(5) + rf"(?:{MANY} {NO_GOODS})"),
    (2, PRICE + rf".{{0,{SIGN_MAX_CHARS}}}?" + OWN_PLACE),
    (2, r"\b(?:necesit(?:o|amos)|quiero|queremos|pedir(?:os|les)?|need|want|would like|'d like) "
        rf"(?:{SEVERAL} (?:more )?{NO_GOODS})"),
    (2, rf"\b(?:need|want|take) {SEVERAL} of (?:these|those|them)\b"),
    (-2, any_of(  # a price that is printed
        "(?:billete|bono|abono|pack|caja|paquete|set|bolsa|tarjeta|ticket|pass|box|bag|card)s? "
        "(?:de|of|for) " + MANY,
    )),
    # who can sell it
    (2, r"\bhablar con (?:\w+ ){0,3}(?:comercial|vendedor\w*|ventas|asesor\w*)\b"),
    (2, r"\b(?:talk|speak|chat) (?:to|with) (?:\w+ ){0,3}sales\w*\b"),
    (2, r"\bsales (?:\w+ )?(?:contact|call|ring|e-?mail) (?:me|us)\b"),
    (2, r"\b(?:busco|buscamos|buscando|necesit(?:o|amos)|looking for|need) (?:an? |un |una )?"
        r"(?:\w+ )?(?:empresa|proveedor\w*|profesional|tecnico|company|supplier|provider|"
        r"contractor)\b"),
    (2, r"\b(?:me|nos) l[ao]s? (?:pod|pued)\w+ (?:enviar|mandar|traer)\b"),
    (2, r"\b(?:me|nos) l[ao]s? (?:activ|instal|prepar|reserv|guard|apart)\w+\b"),
    (2, r"\b(?:can|could|would) you (?:activate|set up|install|reserve|prepare|put aside) "
        r"(?:it|one|them|this|that)\b"),
    (2, any_of(
        "(?:pod|pued)\\w+ (?:pasar|venir) (?:a|para) (?:verl\\w+|medir\\w*)",
        "come (?:and|to|over to) (?:have a look|see it|measure)",
    )),
    # bought before: something else is the matter
    (-2, any_of(
        "mis? (?:ultim\\w+ )?(?:pedidos?|compras?|reservas?|suscripcion|facturas?|encargos?)",
        "(?:he|hemos|habia) (?:comprado|pedido|pagado|contratado)", "compre", "pedi", "pague",
        "hice un pedido", "me hicisteis", "ya (?:pague|pagamos|hice|tengo)", "devol\\w+",
        "reembols\\w+", "garantia", "facturas?", "reclam\\w+", "cancel\\w+", "baja", "averi\\w+",
        "no funciona\\w*", "cobrado", "otra vez", "de nuevo", "de vuelta", "engaño", "estafa",
    )),
    (-2, any_of(
        "(?:my|this|our) (?:last )?(?:orders?|purchases?|bookings?|subscription|invoices?)",
        "bought", "purchased", "i ordered", "we ordered", "placed an order", "already paid",
        "return(?:ed|ing)?", "refund\\w*", "warranty", "invoices?", "cancel\\w*", "unsubscribe",
        "complain\\w*", "charged", "(?:does not|doesn't|not) work\\w*", "money back", "again",
        "regret", "scam", "you sent",
    )),
    # not wanted
    (-10, r"\b(?:no|tampoco|nunca|jamas|ni) (?:(?:me|nos|te|os|l[ao]s?|se) ){0,2}"
        r"(?:quier|quisi|quer|neces|interes|voy|vamos|pien|pens|dese|busc|compr|pued|pod|est[oa]|"
        r"hac\w+ falta|volv|contrat)\w*"),
    (-10, any_of(
        "(?:do|did|does|will|would|am|are|is) not", "(?:do|did|does|wo|would|are|is)n'?t",
        "can(?:'t|not)", "never", "no longer", "not (?:interested|looking|going|buying)",
        "do (?:i|we|you) need", "do (?:i|we|you) have to(?! do)",
        "without buying", "no need",
    )),
)  # fmt: skip
# These settle it for the whole message.
NO_BUYER: tuple[str, ...] = (
    # jokes, and what would be if
    any_of(
        "(?:j[aei]){2,}j?", "(?:ha){2,}h?", "lol", "xd", "bromas?", "kidding", "joking", "coña",
    ),
    any_of(
        "si (?:yo )?(?:fuera|fuese|tuviera|tuviese|ganara|ganase|gano|me toca\\w*)",
        "if i (?:were|was|had|win|won|could)", "como si", "ni hablar", "ni loc[oa]",
        "forget it", "olvidalo", "million years",
    ),
    # they sell, or look for work
    any_of(
        "(?:os|les|le|te) (?:ofrec|ofrez|propon|propong)\\w+", "(?:ofrecer|proponer)(?:os|les)",
        "vender(?:os|les|te)?", "somos (?:\\w+ )?(?:fabricantes|proveedores|una agencia)",
        "(?:nuestros|our) servic\\w+", "offer you",
        "colaboracion", "patrocin\\w+", "posicionamiento", "enviar(?:os|les) una oferta",
        "we (?:\\w+ )?(?:offer|manufacture|specialise|specialize)", "sell(?:ing)? you",
        "(?:we are|we're) an? (?:\\w+ )?(?:manufacturer|agency|supplier|provider)", "partnership",
        "guest post", "sponsor\\w*", "send you an offer", "seo", "presentar(?:os|les)",
        "represent(?:o|amos)", "(?:i|we) represent", "to present", "(?:nuestra|our) agenc\\w+",
        "(?:mas|more) clientes?", "more (?:clients|customers|leads)",
    ),
    any_of(
        "trabajar (?:con|en|para) (?:vosotros|ustedes|usted|la|vuestra empresa|aqui|tu)",
        "curr?iculum", "cv", "vacantes?", "empleo", "practicas",
        "oferta de trabajo", "el puesto", "work (?:with|for) you", "resume attached", "vacanc\\w+",
        "internship", "hiring", "the position", "job",
    ),
    # words for us to say, or about words
    any_of(
        "ignor\\w+ (?:tus|las|sus|todas|your|all|previous|the|any)", "instruc\\w+", "prompt",
        "repit\\w+", "repeat", "traduc\\w+", "translat\\w+", "como se dice", "how do you say",
        "say that", "di que", "responde (?:con|que)", "imagina\\w*", "imagine", "pretend", "finge",
        "que significa", "what does .{0,40} mean", "a partir de ahora eres", "from now on you",
    ),
)  # fmt: skip

COMPILED_SIGNS = tuple((score, re.compile(pattern)) for score, pattern in SIGNS)
COMPILED_NO_BUYER = tuple(re.compile(pattern) for pattern in NO_BUYER)
QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"")
CLAUSE_END = re.compile(r"[.!?¿¡;\n]+\s*|\b(?:pero|sino|aunque|but|although)\b")


def shows_intent(utterance: Utterance) -> bool:
    """Tells whether the writer wants to buy something, now and from us."""
    own_words = QUOTED.sub(" ", utterance.text).replace("’", "'").lower()
    written_out = fold(write_out(own_words, utterance.language("en")))
    plain = re.sub(r"[^\S\n]+", " ", written_out)
    if any(pattern.search(plain) for pattern in COMPILED_NO_BUYER):
        return False
    return any(weigh(clause) >= ENOUGH for clause in CLAUSE_END.split(plain))


def weigh(clause: str) -> int:
    """The strongest sign for an intent, and all that speaks against it."""
    found = [score for score, pattern in COMPILED_SIGNS if pattern.search(clause)]
    return max((0, *found)) + sum(score for score in found if score < 0)
