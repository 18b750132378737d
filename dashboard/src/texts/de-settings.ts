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
    tierHint: 'Seine Limits.',
    scopes: 'Rechte',
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
    kept: 'Ich habe es aufbewahrt',
    perMinute: (count) => `${number(count)} Anfragen in der Minute`,
    rotate: 'Wechseln',
    rotateWhy: 'Der bisherige gilt noch 24 Stunden.',
    rotated: 'Gewechselt',
    revoke: 'Widerrufen',
    revokeWhy: 'Was ihn benutzt, wird ab jetzt abgelehnt. Das lässt sich nicht zurücknehmen.',
    revoked: 'Widerrufen',
  },
  members: {
    invite: 'Einladen',
    invited: 'Eingeladen',
    of: (organisation) => `Leute von ${organisation}.`,
    role: 'Rolle',
    roleOf: (name) => `Rolle von ${name}`,
    roleHints: {
      viewer: 'Liest alles außer dem Protokoll.',
      developer: 'Ändert auch Kanäle, Abonnements und Nachrichten, und wiederholt.',
      admin: 'Macht auch Zugänge, liest das Protokoll und lädt ein.',
      owner: 'Entscheidet auch über Inhaber.',
    },
    since: 'Mitglied seit',
    you: '(Sie)',
    remove: 'Entfernen',
    removeTitle: (name) => `${name} entfernen?`,
    removeWhy: 'Die Sitzungen dieser Person enden hier, und ihre Einladungen auch.',
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
};
