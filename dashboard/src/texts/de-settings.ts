import type { enSettings } from './en-settings.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of the pages of settings. */
export const deSettings: Pick<Texts, keyof typeof enSettings> = {
  credentials: {
    'api-keys': {
      make: 'Schlüssel anlegen',
      none: 'Noch kein Schlüssel',
      why: 'Programme schicken mit jeder Anfrage einen Schlüssel. Wo das zu viel Vertrauen ist, hilft ein Maschinen-Zugang.',
    },
    'machine-credentials': {
      make: 'Client anmelden',
      none: 'Noch kein Client',
      why: 'Ein Client holt mit seinem Geheimnis, das nie gesendet wird, kurzlebige Tokens und belegt jede Anfrage mit einem eigenen Schlüssel (DPoP).',
    },
    where: (environment) => `Er wirkt allein in der Umgebung ${environment} dieser App.`,
    nameHint: 'Wer ihn benutzt, etwa Kasse 7.',
    tier: 'Stufe',
    tierHint: 'Wie viele Anfragen je Minute er schicken darf. Seine Seite zeigt die Zahl.',
    scopes: 'Rechte',
    scopesHint:
      'read sieht, write legt an und ändert. messages:write veröffentlicht, dlq sind Unzustellbare, apps sind Einstellungen.',
    lastUsed: 'Zuletzt benutzt',
    never: 'nie',
    expires: 'Endet',
    noEnd: 'nie',
    once: 'Nur jetzt zu sehen',
    onceWhy: 'Niemand kann das noch einmal lesen. Legen Sie es dorthin, wo Ihr Programm es findet.',
    clientId: 'Client-Id',
    clientSecret: 'HMAC-Geheimnis',
    key: 'Schlüssel',
    use: 'So wird es benutzt',
    plainWhy:
      'Als token.mjs speichern und node token.mjs aufrufen, ab Node 20: Das gibt ein Token aus, dann die Kanäle.',
    useByLibrary: 'Mit der Client-Bibliothek',
    libraryWhy:
      'Die Bibliothek ist der Ordner client von Posthorn: npm pack ./client macht eine Datei daraus, die npm install nimmt.',
    kept: 'Ich habe es aufbewahrt',
    perMinute: (count) => `${number(count)} Anfragen in der Minute`,
    rotate: 'Wechseln',
    rotateTitle: (name) => `${name} wechseln?`,
    rotateWhy:
      'Ein neues Geheimnis mit denselben Rechten wird einmal gezeigt. Das alte gilt noch 24 Stunden: Ist es bekannt geworden, widerrufen Sie es stattdessen.',
    rotated: 'Gewechselt',
    revoke: 'Widerrufen',
    revokeTitle: (name) => `${name} widerrufen?`,
    revokeWhy: 'Anfragen damit werden ab jetzt abgelehnt. Das lässt sich nicht zurücknehmen.',
    revoked: 'Widerrufen',
  },
  members: {
    invite: 'Einladen',
    invited: 'Eingeladen',
    of: (organisation) => `Leute von ${organisation}.`,
    role: 'Rolle',
    roleOf: (name) => `Rolle von ${name}`,
    roleHints: {
      viewer:
        'Sieht Verkehr, Einrichtung, Workflows und Mitglieder und ändert nichts. Zugänge, Geheimnisse und Protokoll bleiben verborgen.',
      developer:
        'Wie Leser, ändert auch Kanäle, Abonnements und Workflows, veröffentlicht, wiederholt und sieht Signatur-Geheimnisse.',
      admin: 'Wie Entwickler, macht auch Zugänge und Geheimnisse, liest das Protokoll und lädt ein.',
      owner: 'Wie Admin, und macht andere zu Inhabern.',
    },
    since: 'Mitglied seit',
    you: '(Sie)',
    until: 'bis',
    revoke: 'Zurücknehmen',
    link: 'Link',
    handOver: (email) =>
      `Geben Sie diesen Link an ${email}. Er gilt einmal, 72 Stunden lang, und ist nur jetzt zu sehen.`,
  },
  audit: {
    action: 'Vorgang',
    actor: 'Wer',
    target: 'Was',
    from: 'Von',
    before: 'Vorher',
    after: 'Nachher',
    notHere: 'Dieser Eintrag ist nicht unter den gelesenen.',
    actors: {
      apiKey: 'API-Schlüssel',
      machineCredential: 'Maschinen-Zugang',
      person: 'Person',
      commandLine: 'Kommandozeile',
      temporal: 'Temporal',
    },
  },
  factors: {
    title: 'Zweiter Schritt',
    why: 'Mit einem Passkey oder einer Authenticator-App öffnet ein Passwort allein nichts.',
    none: 'Nur Ihr Passwort schützt dieses Konto.',
    passkey: 'Passkey',
    app: 'Authenticator-App',
    sixDigits: 'Sechs Ziffern',
    addPasskey: 'Passkey hinzufügen',
    addApp: 'Authenticator-App hinzufügen',
    added: 'Hinzugefügt',
    nameHint: 'Das Gerät oder der Passwort-Manager, der ihn hat.',
    passkeyWhy: 'Ihr Browser macht ihn und fragt nach Finger, Gesicht oder PIN.',
    scan: 'Lesen Sie dies mit der App ein, oder tippen Sie das Geheimnis darunter ab.',
    qr: 'QR-Code mit dem Geheimnis',
    typed: 'Geheimnis zum Abtippen',
    codeHint: 'Die sechs Ziffern, welche die App jetzt zeigt.',
    confirm: 'Bestätigen',
    codes: 'Wiederherstellungs-Codes',
    codesLeft: (count) => `${number(count)} Wiederherstellungs-Codes sind übrig.`,
    codesWhy:
      'Jeder dieser Codes ersetzt einmal den zweiten Schritt. Heben Sie sie auf, wo Sie sie ohne Ihr Gerät finden.',
    newCodes: 'Neue Wiederherstellungs-Codes',
    newCodesWhy: 'Die vorigen gelten nicht mehr.',
    remove: 'Entfernen',
    removeTitle: (name) => `${name} entfernen?`,
    removeWhy: 'Beim Anmelden wird nicht mehr danach gefragt. Ohne einen anderen genügt das Passwort allein.',
  },
};
