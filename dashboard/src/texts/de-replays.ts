import type { enReplays } from './en-replays.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of replays. */
export const deReplays: Pick<Texts, keyof typeof enReplays> = {
  replays: {
    tabs: { letters: 'Unzustellbare', deliveries: 'Zustellungen', messages: 'Nachrichten' },
    messagesWhy: 'Ein Abonnement kann seine Nachrichten ab einer Zeit noch einmal bekommen, oder die, die ihm fehlen.',
    since: (name) => `Wiederholen an ${name}`,
    sinceWhy: 'Nachrichten, die das Abonnement will, wie es jetzt ist, werden neu zugestellt, die ältesten zuerst.',
    from: 'Von',
    to: 'Bis',
    toHint: 'Leer: jetzt.',
    timeHint: 'UTC, etwa 2026-05-07T14:00:00Z.',
    upTo: 'Durchgesehen bis',
    rate: 'Je Sekunde höchstens',
    rateHint: 'Leer: so schnell, wie sie gefunden werden. Die Grenzen eines Abonnements gelten daneben.',
    rateBounds: 'Eine ganze Zahl von 1 bis 1.000.',
    onlyMissing: 'Nur, was nie zugestellt wurde und nicht gescheitert ist',
    ask: 'Wiederholen ab…',
    replayedOf: (replayed, matched) => `${number(replayed)} wiederholt, ${number(matched)} bisher gefunden`,
    none: 'Noch keine Wiederholung',
    noneWhy: 'Eine Wiederholung versucht alle unzustellbaren neu, die ein Filter trifft, und zeigt hier ihren Stand.',
    matched: 'Treffer',
    replayed: 'Wiederholt',
    failed: 'Nicht wiederholt',
    progress: (done, all) => `${number(done)} von ${number(all)} wieder in Zustellung`,
    filter: {
      channelId: 'Kanal',
      subscriptionId: 'Abonnement',
      messageId: 'Nachricht',
      workflowId: 'Workflow',
      eventType: 'Typ',
      kind: 'Art',
      reason: 'Grund',
      errorClass: 'Letzter Fehler',
      errorStatus: 'Letzte Antwort',
      since: 'Aufgegeben seit',
      until: 'Aufgegeben vor',
      createdSince: 'Entstanden seit',
      createdUntil: 'Entstanden vor',
    },
    pace: (rate, most, left) =>
      [
        ...(rate === undefined ? [] : [`bisher ${number(rate)} je Sekunde`]),
        ...(most === undefined ? [] : [`höchstens ${number(most)} je Sekunde`]),
        ...(left === undefined ? [] : [`noch etwa ${left}`]),
      ].join(', '),
    seeReplayed: 'Wiederholte ansehen',
    failedWhy: 'Ihr Abonnement oder ihr Workflow ist gelöscht.',
    repeat: {
      delivery: (count) => `Fehler wiederholen: ${number(count)}`,
      run: (count) => `Gescheiterte Läufe wiederholen: ${number(count)}`,
    },
    repeatWhy: {
      delivery:
        'Zustellungen dieses Bereichs, die nach Beginn der Wiederholung aufgegeben wurden und davor entstanden sind, aus welchem Grund auch immer:',
      run: 'Läufe dieses Bereichs, die nach Beginn der Wiederholung aufgegeben wurden, aus welchem Grund auch immer:',
    },
    cancel: 'Wiederholung abbrechen',
    noRetry: 'Noch kein neuer Versuch',
    noRetryWhy: 'Ein neuer Versuch gilt allen Zustellungen, die ein Filter trifft, und zeigt hier seinen Stand.',
    retried: 'Neu versucht',
    notRetried: 'Nicht versucht',
    notRetriedWhy: 'Ihre Nachricht ist gelöscht, oder ihr Abonnement wurde gelöscht.',
    retryProgress: (done, all, isMore) =>
      `${number(done)} von ${isMore ? 'mindestens ' : ''}${number(all)} wieder fällig`,
    retryFilter: {
      channelId: 'Kanal',
      subscriptionId: 'Abonnement',
      messageId: 'Nachricht',
      eventType: 'Typ',
      status: 'Status',
      errorClass: 'Letzter Fehler',
      errorStatus: 'Letzte Antwort',
      minLatencyMs: 'Antwort nach, in ms',
      held: 'Gehalten',
      since: 'Entstanden seit',
      until: 'Entstanden vor',
    },
  },
};
