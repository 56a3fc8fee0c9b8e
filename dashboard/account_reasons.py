"""Why something of an account elsewhere could not be read, or the account not be connected: as
dashboard/reasons.py, whose other half this is.

`label`: who provides the account. The texts are those of sources/connectors, sources/oauth and
sources/services.
"""

from django.utils.translation import gettext_noop

ACCOUNT_REASONS = (
    gettext_noop("Files of this type cannot be read."),
    gettext_noop("It has no text that can be indexed."),
    gettext_noop("It is too large: %(size)s MB. Up to %(limit)s MB are read."),
    gettext_noop("It is too large."),
    gettext_noop("The file is larger than %(limit)s MB."),
    gettext_noop("The image is larger than %(limit)s MB."),
    gettext_noop("It answers %(status)s."),
    gettext_noop("%(label)s cannot be read:"),
    gettext_noop("%(label)s does not answer at the moment:"),
    gettext_noop("%(label)s does not answer as it should. Try again later."),
    gettext_noop("%(label)s does not answer. Try again later."),
    gettext_noop("%(label)s sent an answer that cannot be read. Try again later."),
    gettext_noop("%(label)s sent an answer that cannot be read."),
    gettext_noop("%(label)s is busy and asks us to wait for %(count)s min."),
    gettext_noop("%(label)s answers %(status)s to one of our requests."),
    gettext_noop("Check what the connected account may read, then sync again."),
    gettext_noop("Check what the connected account may read."),
    gettext_noop(
        "Too many accounts are being looked at just now. Wait for an answer, then try again."
    ),
    gettext_noop("It holds what is no character."),
    gettext_noop(
        "Its id at the origin cannot be stored: it is too long, or holds what is no character."
    ),
    gettext_noop("%(label)s does not accept the connected account any more. Connect it again."),
    gettext_noop(
        "%(label)s does not accept the connection of %(account)s any more: it was ended there, or"
        " has expired. Connect the account again."
    ),
    gettext_noop("%(label)s has ended the connection. Connect the account again."),
    gettext_noop("%(label)s refuses this server (%(name)s). Tell its operator."),
    gettext_noop("What opens this account cannot be read here any more. Connect it again."),
    gettext_noop("The account was disconnected. Connect one again."),
    gettext_noop("The account was disconnected here. Connect one again."),
    gettext_noop("The account has to be connected again."),
    gettext_noop("This sign-in has expired or was used already. Connect the account again."),
    gettext_noop("The account was not connected: the right to read it was not given."),
    gettext_noop("The account was not connected. Connect it again."),
    gettext_noop("%(label)s did not confirm the sign-in. Connect the account again."),
    gettext_noop(
        "%(label)s did not give all rights that were asked for. Connect the account again, and"
        " leave every box ticked."
    ),
    gettext_noop("%(label)s did not say whose account this is. Connect it again."),
    gettext_noop(
        "You signed in as %(other)s, but %(account)s was connected. Sign in to that account, or say"
        " that this one is to take its place."
    ),
    gettext_noop("There was no answer in time. Check the address, or try again later."),
    gettext_noop("This field is required."),
    gettext_noop("At most %(limit)s characters."),
    gettext_noop("Choose at most %(limit)s entries."),
    gettext_noop("What was chosen is not known here. Choose again."),
    gettext_noop("Nothing can be chosen for this source."),
    gettext_noop("Choose what is to be read."),
    # Google Drive
    gettext_noop(
        "Google Drive was connected without the right to see and download files. Connect the"
        " account again, and leave that right ticked."
    ),
    gettext_noop("This is not in Google Drive any more, or not shared with the connected account."),
    gettext_noop(
        "It was chosen, and is not there any more: deleted, in the trash, or no longer shared"
        " with the connected account."
    ),
    gettext_noop(
        "This shortcut leads to something that was deleted, is in the trash, or is not shared"
        " with the connected account."
    ),
    gettext_noop("Its owner does not allow the connected account to download it."),
    gettext_noop(
        "Google exports documents of up to 10 MB, and this one is larger. Divide it, or"
        " download it there and upload it as a file."
    ),
    gettext_noop("Google considers this file harmful and does not let it be downloaded."),
    gettext_noop("It was changed while it was read. The next sync reads it."),
    # OneDrive and SharePoint
    gettext_noop("It is not there any more, or the connected account may not read it."),
    gettext_noop("The connected account may not download it."),
    gettext_noop("It was removed, or the connected account may not read it any more."),
    gettext_noop("It is locked there. It is tried again with the next sync."),
    gettext_noop("Nothing is chosen yet. Choose what is to be read, then sync."),
    gettext_noop("There are more files than can be read in one source. Choose fewer folders."),
    gettext_noop(
        "OneNote notebooks cannot be read. Export this one as PDF or DOCX, and keep the file there."
    ),
    gettext_noop("Microsoft has found malware in it."),
    gettext_noop("%(label)s ended the download. It is tried again with the next sync."),
    # Notion
    gettext_noop("The page has no text of its own."),
    gettext_noop("Notion names 10,000 pages of a list at most: those beyond were not read."),
    gettext_noop("The page is not shared any more."),
    gettext_noop("Notion does not let this server read the page."),
    gettext_noop("%(label)s sent a list that cannot be read. Try again later."),
    gettext_noop("%(label)s does not say whose account it is. Try again later."),
    gettext_noop("It is too large: up to %(count)s blocks of a page are read. Split it."),
    # JSON over HTTPS
    gettext_noop("No address is connected to this source. Delete it, and connect the API anew."),
    gettext_noop("There is nothing at this address (HTTP 404). Check it for typing errors."),
    gettext_noop("This address leads to %(target)s. Give that one."),
    gettext_noop("Only addresses that begin with https:// are read."),
    gettext_noop("Choose one of: %(choices)s."),
    gettext_noop("Say what is to be read."),
    gettext_noop("Give what opens it."),
    gettext_noop("%(label)s does not open the list with this (HTTP 401)."),
    gettext_noop("%(label)s does not allow us to read this list (HTTP 403)."),
    gettext_noop("Delete the source, and connect it anew."),
    gettext_noop("It must be printable ASCII characters."),
    gettext_noop("Give the name of a header, such as X-Api-Key."),
    gettext_noop("Give the name of a parameter, such as page."),
    gettext_noop("Give the name of a user, without a colon."),
    gettext_noop("The list has more than %(limit)s items: the first %(count)s are read."),
    gettext_noop(
        "The API answers with the same items again. Check how the next page is asked for, and"
        " the name of its parameter."
    ),
    gettext_noop("Another item has the id %(id)s too: only the first one is read."),
    gettext_noop(
        "A page of the list is larger than 10 MB. Ask for fewer items in a page: most APIs have"
        " a parameter for that, which can be written into the address."
    ),
    gettext_noop(
        "The API names a next page at another address: %(target)s. Only pages of the address"
        " that was given are read, for what opens it is sent nowhere else."
    ),
    gettext_noop(
        "The list does not end: the API names a page again that was read. Check how the next"
        " page is asked for."
    ),
    gettext_noop("The list has more than %(limit)s pages. Ask for more items in a page."),
    gettext_noop("The list does not end: the API names ever more pages without items."),
    gettext_noop("The answer has no list where one was said to be."),
    gettext_noop("A JSON Pointer begins with a slash."),
    gettext_noop("In a JSON Pointer ~ is written ~0."),
    gettext_noop("Its text is too long to be read."),
    gettext_noop(
        "It has no id at %(pointer)s: a text or a number of up to %(limit)s characters, which"
        " no other item has."
    ),
    # Odoo
    gettext_noop(
        "Odoo does not accept the API key any more. It may have expired: connect a new one."
    ),
    gettext_noop("Odoo does not know this database."),
    gettext_noop("There is no Odoo at this address."),
    gettext_noop("This version of Odoo (before 19) needs it."),
    gettext_noop("The user whose API key it is may not read this in Odoo."),
    gettext_noop("The database of Odoo does not answer. Try again later."),
    gettext_noop("Nothing is chosen that could be read. Choose what is read, then sync."),
    gettext_noop("The user whose API key it is may read no products, taxes or articles in Odoo."),
    gettext_noop("No shop is connected to this source. Connect one, then sync."),
    gettext_noop("It is too large to be read."),
    gettext_noop("The filter names a field that is not there: %(name)s."),
    gettext_noop("The filter is longer than %(limit)s characters."),
    gettext_noop("The filter is not valid JSON. Write it as %(example)s."),
    gettext_noop("The filter is not valid JSON."),
    gettext_noop("The filter is not a list. Write it as %(example)s."),
    gettext_noop(
        "The filter has a condition that is not [field, operator, value]. Write it as %(example)s."
    ),
    gettext_noop("The filter ends too early: “&” and “|” join two conditions, “!” one."),
    gettext_noop('Write the filter as {"product.template": [["sale_ok", "=", true]]}.'),
    gettext_noop(
        "None of the chosen fields is there any more, or not for the user whose API key it is."
        " Choose others."
    ),
    # WhatsApp Business
    gettext_noop(
        "No WhatsApp channel is connected to this source. Connect one to an agent, then sync."
    ),
    gettext_noop(
        "WhatsApp does not accept the connected account any more. Connect the channel of the"
        " agent again."
    ),
    gettext_noop(
        "The system user may not read this. Give it the permissions"
        " whatsapp_business_management and catalog_management, make a new token, and connect"
        " the channel again."
    ),
    gettext_noop("It is not there any more, or the system user may not see it."),
    # OData
    gettext_noop("This is needed."),
    gettext_noop("There is no such way to sign in."),
    gettext_noop("Records without a key were left out: they cannot be told apart."),
    gettext_noop("The service does not accept this sign-in."),
    gettext_noop("There is no OData service at this address: it answers %(status)s."),
    gettext_noop("Nothing was chosen to be read. Choose entity sets, then sync."),
    gettext_noop("No service is connected to this source. Connect one, then sync."),
    gettext_noop("The service does not offer this any more."),
    gettext_noop("What was named cannot be read with this sign-in (%(status)s)."),
    gettext_noop("Only the first %(count)s records are read."),
    gettext_noop("%(label)s has no property %(name)s."),
    gettext_noop("The account that is connected may not read this."),
    gettext_noop(
        "%(label)s names an address of another server as its next page. Connect the service by the"
        " address that it uses itself."
    ),
    gettext_noop("%(label)s sends one page after another without end."),
    gettext_noop("%(label)s sends pages that are too large. Choose fewer properties."),
    gettext_noop(
        "%(label)s names its next page by an address that is too long. Choose fewer properties."
    ),
    gettext_noop("The record has no text that can be indexed."),
    gettext_noop("The sign-in of %(label)s does not answer as it should."),
    gettext_noop(
        "The sign-in of %(label)s refuses the client (%(name)s). Connect the service again."
    ),
)
