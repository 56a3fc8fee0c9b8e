"""Invented companies that say everything twice, in Spanish and in English, with a question in each
language for every passage."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """A passage in both languages, and a question in each. `told`: what the answer holds, Spanish
    first."""

    headings: tuple[str, str]
    texts: tuple[str, str]
    questions: tuple[str, str]
    told: tuple[str, str]


TEA_SHOP = (
    Said(
        ("Pedidos a Canarias", "Orders to the Canary Islands"),
        (
            "Enviamos a Canarias por barco: el pedido llega en nueve días y cuesta 14,50 €.",
            "We ship to the Canary Islands by sea: orders arrive in nine days and cost €14.50.",
        ),
        (
            "¿Cuánto tarda un pedido a Canarias?",
            "How much is shipping to the Canary Islands?",
        ),
        ("nueve días", "€14.50"),
    ),
    Said(
        ("Catas", "Tastings"),
        (
            "Las catas de té son el primer jueves de cada mes a las 19:30. Hay que reservar.",
            "Tea tastings take place on the first Thursday of each month at 7:30 pm. Please book.",
        ),
        ("¿Cuándo son las catas de té?", "When are the tea tastings?"),
        ("primer jueves", "first Thursday"),
    ),
    Said(
        ("Tarjeta regalo", "Gift card"),
        (
            "La tarjeta regalo caduca a los 24 meses y no se cambia por dinero.",
            "The gift card expires after 24 months and cannot be exchanged for cash.",
        ),
        ("¿Cuándo caduca la tarjeta regalo?", "When does a gift card expire?"),
        ("24 meses", "24 months"),
    ),
    Said(
        ("Cambios", "Exchanges"),
        (
            "Cambiamos cualquier lata sin abrir durante 40 días. Las abiertas no se cambian.",
            "We exchange any unopened tin within 40 days. Opened tins are not exchanged.",
        ),
        (
            "¿Cuántos días tengo para cambiar una lata?",
            "How many days do I have to exchange a tin?",
        ),
        ("40 días", "40 days"),
    ),
    Said(
        ("Teteras", "Teapots"),
        (
            "Las teteras de hierro no se lavan en el lavavajillas: se oxidan.",
            "Cast-iron teapots must not go in the dishwasher: they rust.",
        ),
        (
            "¿Puedo meter la tetera de hierro en el lavavajillas?",
            "Can I put the cast-iron teapot in the dishwasher?",
        ),
        ("se oxidan", "they rust"),
    ),
    Said(
        ("Aparcamiento", "Parking"),
        (
            "Con una compra de 30 € regalamos una hora en el aparcamiento de la plaza.",
            "With a purchase of €30 we give you one hour in the car park on the square.",
        ),
        ("¿Tenéis aparcamiento?", "Is there a car park?"),
        ("una hora", "one hour"),
    ),
)
PHYSIOTHERAPY = (
    Said(
        ("Primera visita", "First visit"),
        (
            "La primera visita dura una hora e incluye la valoración. Cuesta 48 euros y se paga en"
            " recepción al terminar.",
            "Your first appointment lasts an hour and includes an assessment. It costs 48 euros,"
            " payable at reception afterwards.",
        ),
        ("¿Cuánto cuesta la primera visita?", "How much does the first visit cost?"),
        ("48 euros", "48 euros"),
    ),
    Said(
        ("Anular una cita", "Cancelling an appointment"),
        (
            "Las citas se anulan sin coste hasta 12 horas antes. Después se cobra la mitad.",
            "You can cancel free of charge up to 12 hours before your appointment. After that, we"
            " charge half the price.",
        ),
        (
            "¿Hasta cuándo puedo anular una cita sin coste?",
            "How late can I cancel an appointment for free?",
        ),
        ("12 horas antes", "12 hours before"),
    ),
    Said(
        ("Qué traer", "What to bring"),
        (
            "Trae ropa cómoda, las pruebas médicas que tengas y tu tarjeta del seguro.",
            "Please bring comfortable clothes, any medical tests you have and your insurance card.",
        ),
        ("¿Qué ropa tengo que traer?", "What clothes should I bring?"),
        ("ropa cómoda", "comfortable clothes"),
    ),
    Said(
        ("A domicilio", "Home visits"),
        (
            "Nos desplazamos a domicilio en Llanes y Ribadesella, los martes por la tarde.",
            "We do home visits in Llanes and Ribadesella on Tuesday afternoons.",
        ),
        ("¿Vais a domicilio a Ribadesella?", "Do you do home visits in Ribadesella?"),
        ("martes por la tarde", "Tuesday afternoons"),
    ),
    Said(
        ("Piscina", "Pool"),
        (
            "La rehabilitación en piscina se hace en grupos de seis personas como máximo.",
            "Rehabilitation in the pool is done in groups of six people at most.",
        ),
        (
            "¿Cuántas personas hay en los grupos de piscina?",
            "How many people are in the pool groups?",
        ),
        ("seis personas", "six people"),
    ),
    Said(
        ("Mutuas", "Insurers"),
        (
            "Trabajamos con las mutuas Asisa, Vitalia y Norte Salud; las demás nos abonan factura.",
            "We work with the insurers Asisa, Vitalia and Norte Salud; others refund our invoice.",
        ),
        ("¿Con qué mutuas trabajáis?", "Which insurers do you work with?"),
        ("las demás", "others refund"),
    ),
)
ROWING_CLUB = (
    Said(
        ("Cuota", "Membership fee"),
        (
            "La cuota anual del club es de 95 euros; los menores de 18 años pagan 40.",
            "The club's annual fee is 95 euros; members under 18 pay 40.",
        ),
        ("¿Cuánto es la cuota anual?", "How much is the annual fee?"),
        ("95 euros", "95 euros"),
    ),
    Said(
        ("Asamblea", "General meeting"),
        (
            "La asamblea general se celebra el último domingo de enero en la casa del mar.",
            "The general meeting is held on the last Sunday of January in the boathouse.",
        ),
        ("¿Cuándo es la asamblea general?", "When is the general meeting?"),
        ("último domingo", "last Sunday"),
    ),
    Said(
        ("Préstamo de piraguas", "Borrowing canoes"),
        (
            "Los socios se llevan una piragua a casa un fin de semana al mes, con una fianza de 60"
            " euros.",
            "Members may take a canoe home for one weekend a month, against a deposit of 60 euros.",
        ),
        (
            "¿Qué fianza se paga por llevarse una piragua?",
            "What deposit do I pay to take a canoe home?",
        ),
        ("60", "60"),
    ),
    Said(
        ("Natación", "Swimming"),
        (
            "Para remar hay que saber nadar 50 metros con ropa; lo comprobamos el primer día.",
            "To row you must be able to swim 50 metres in your clothes; we check on the first day.",
        ),
        ("¿Hace falta saber nadar para remar?", "Do I need to be able to swim to row?"),
        ("50 metros", "50 metres"),
    ),
    Said(
        ("Baja", "Leaving the club"),
        (
            "Para darse de baja basta con un correo a la secretaría antes del 30 de noviembre.",
            "To leave the club, just send an e-mail to the secretary before 30 November.",
        ),
        ("¿Cómo me doy de baja?", "How do I leave the club?"),
        ("30 de noviembre", "30 November"),
    ),
    Said(
        ("Vestuarios", "Changing rooms"),
        (
            "Los vestuarios cierran a las 21:15 y las taquillas se vacían cada noche.",
            "The changing rooms close at 21:15 and the lockers are emptied every night.",
        ),
        ("¿A qué hora cierran los vestuarios?", "What time do the changing rooms close?"),
        ("21:15", "21:15"),
    ),
)
