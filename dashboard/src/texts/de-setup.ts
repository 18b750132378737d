import type { Texts } from './en.ts';

/** German words of what is set up: members, the schemas of channels, and questions before something is done. */
export const deSetup: Pick<Texts, 'passkeyOffer' | 'people' | 'schemas' | 'ask' | 'more'> = {
  passkeyOffer: {
    why: 'Melden Sie sich das nächste Mal ohne Passwort an: Einen Passkey verwahrt Ihr Gerät oder Ihr Passwortmanager, und niemand kann ihn Ihnen entlocken.',
    go: 'Passkey hinzufügen',
    no: 'Nicht jetzt',
  },
  people: {
    actions: {
      reset: 'Passwort-Link',
      factors: '2. Schritt entfernen',
      handOver: 'Zum Inhaber machen',
      remove: 'Entfernen',
    },
    titles: {
      reset: (name) => `Einen Passwort-Link für ${name} machen?`,
      factors: (name) => `Den zweiten Schritt von ${name} entfernen?`,
      handOver: (name) => `${name} zum Inhaber machen?`,
      remove: (name) => `${name} entfernen?`,
    },
    why: {
      reset: 'Damit setzt die Person ein neues Passwort, einmal, binnen 30 Minuten. Das alte gilt bis dahin.',
      factors:
        'Passkeys, Authenticator-App und Wiederherstellungscodes werden entfernt: das Passwort allein meldet die Person an.',
      handOver: 'Sie werden Admin, und nur ein Inhaber kann das ändern.',
      remove: 'Die Sitzungen dieser Person enden hier, und ihre Einladungen auch.',
    },
    removed: 'Entfernt',
    factorsRemoved: 'Der zweite Schritt ist entfernt',
    handedOver: 'Die Inhaberschaft ist übergeben',
    mailed: (email) => `Der Link ist an ${email} geschickt. Er ist nur jetzt zu sehen.`,
    handLink: (email) => `Geben Sie ${email} diesen Link selbst: es ging keine Mail hinaus. Er ist nur jetzt zu sehen.`,
  },
  schemas: {
    tabs: { overview: 'Übersicht', schemas: 'Schemas', trial: 'Nachricht probieren', settings: 'Einstellungen' },
    archive: 'Archivieren',
    archiveTitle: (name) => `Den Kanal ${name} archivieren?`,
    archiveWhy: 'Er nimmt keine Nachrichten mehr, bis er wieder aktiviert wird. Was er hat, wird weiter zugestellt.',
    description: 'Beschreibung',
    retention: 'Tage, die Nachrichten bleiben',
    retentionHint: '1 bis 365. Ältere Nachrichten werden entfernt, auch die, die er jetzt hat.',
    of: 'Schema von',
    allTypes: 'allen Typen',
    why: 'Das Schema aller Typen gilt für jeden Inhalt, und das seines Typs daneben.',
    add: 'Typ hinzufügen',
    typeHint: 'Genau wie veröffentlicht, etwa order.created.',
    remove: 'Dieses Schema entfernen',
    text: (type) => `JSON Schema von ${type}`,
    newest: (count) => `Kämen die letzten ${count} Nachrichten durch?`,
    newestWhy:
      'Fragt die Schemas, wie sie gespeichert sind. Lassen Sie erst warnen, und ablehnen, wenn alle durchkommen.',
    check: 'Prüfen',
    passed: (some, all) => (all === 0 ? 'Es gibt keine Nachricht zum Prüfen.' : `${some} von ${all} kämen durch.`),
    trialWhy: 'Nichts wird veröffentlicht, und nichts wird gesendet.',
    sample: 'Beispiel',
    ownSample: 'wie unten geschrieben',
    whoWould: 'Wer bekäme sie?',
    taken: 'Die Schemas nehmen sie.',
  },
  ask: {
    leave: 'So lassen',
    cancelRunTitle: 'Diesen Lauf abbrechen?',
    cancelRunWhy: 'Seine nächsten Schritte geschehen nie. Was er getan hat, bleibt getan.',
    cancelMessageTitle: 'Diese Nachricht zurücknehmen?',
    cancelMessageWhy: 'Sie wird nie veröffentlicht.',
    cancelReplayTitle: 'Diese Wiederholung abbrechen?',
    cancelReplayWhy: 'Was sie wiederholt hat, bleibt so. Der Rest wird nicht noch einmal versucht.',
    forgetTitle: (name) => `Alle Anfragen von ${name} vergessen?`,
    forgetWhy: 'Sie werden endgültig entfernt, der Inspektor bleibt.',
    deleteTitle: (name) => `${name} löschen?`,
    deleteMarkWhy: 'Niemand kann mehr damit vergleichen. Nachrichten und Zustellungen bleiben.',
    deleteViewWhy: 'Nur ihr Name und ihre Filter gehen. Was sie zeigt, bleibt.',
  },
  more: {
    title: 'Mehr',
    labels: {
      timeoutMs: 'Zeit für eine Antwort, ms',
      rateLimit: 'Versuche je Sekunde, höchstens',
      maxConcurrency: 'Anfragen zugleich, höchstens',
      owner: 'Eigner',
      headers: 'Header',
      secret: 'Eigenes Signaturgeheimnis',
    },
    hints: {
      timeoutMs: 'Für einen Versuch, die ganze Antwort eingeschlossen.',
      rateLimit: 'Leer: so viele, wie es gibt.',
      maxConcurrency: 'Leer: so viele, wie der Empfänger gut verträgt.',
      owner: 'Ihre eigene Id des Kunden, dem es gehört.',
      headers: 'Einer je Zeile, etwa X-Shop: Berlin. Sie gehen mit jeder Anfrage.',
      secret: 'Für einen Empfänger, der schon eines kennt: whsec_ und 24 bis 64 Bytes in Base64. Leer: ein neues.',
    },
    rename: 'Umbenennen',
    subscribe: 'Abonnieren',
    metadata: 'Metadaten',
    metadataHint: 'Ein Objekt aus Texten, das jeder Empfänger und Filter sieht, etwa {"region": "eu"}. Leer: keine.',
    wouldBe: (count) =>
      count === 1
        ? 'Nach den Zahlen kam in dieser Zeit 1 Nachricht in den Kanal. Sie wird wiederholt, wenn Typen und Filter sie nehmen.'
        : `Nach den Zahlen kamen in dieser Zeit ${count.toLocaleString('de')} Nachrichten in den Kanal. Wiederholt werden die, die Typen und Filter nehmen.`,
  },
};
