import type { enReplays } from './en-replays.ts';
import type { Texts } from './en.ts';

const number = (count: number): string => count.toLocaleString('de');

/** German words of replays. */
export const deReplays: Pick<Texts, keyof typeof enReplays> = {
  replays: {
    tabs: { letters: 'Unzustellbare', deliveries: 'Zustellungen', messages: 'Nachrichten' },
    messagesWhy: 'Ein Abonnement kann seine Nachrichten ab einer Zeit noch einmal bekommen, oder die, die ihm fehlen.',
    since: (name) => `Wiederholen an ${name}`,
    wouldReplay: (count, isMore) =>
      `${isMore ? 'Mindestens ' : ''}${count === 1 ? '1 Nachricht würde' : `${number(count)} Nachrichten würden`} zugestellt.`,
    sinceWhy: 'Nachrichten, die das Abonnement will, wie es jetzt ist, werden neu zugestellt, die ältesten zuerst.',
    from: 'Von',
    to: 'Bis',
    toHint: 'Leer: jetzt.',
    upTo: 'Durchgesehen bis',
    rate: 'Je Sekunde höchstens',
    rateHint: 'Leer: so schnell, wie sie gefunden werden. Die Grenzen eines Abonnements gelten daneben.',
    rateBounds: 'Eine ganze Zahl von 1 bis 1.000.',
    onlyMissing:
      'Nur Nachrichten, für die es hier nie eine Zustellung gab. Gescheiterte wiederholen Sie von den Unzustellbaren aus.',
    ask: 'Wiederholen ab…',
    one: {
      ask: 'Wiederholen an…',
      title: 'Diese Nachricht an ein Abonnement wiederholen',
      why: 'Das Abonnement bekommt genau diese Nachricht, was immer seine Typen und sein Filter sagen.',
      choose: 'Ein Abonnement des Kanals wählen',
      never: 'Sie wurde dort nie zugestellt.',
      again: 'Sie ist dort schon angekommen. Der Empfänger bekommt sie noch einmal, unter derselben Id:',
      givenUp: 'Sie wurde dort aufgegeben. Die Regel beginnt von vorn:',
      underWay: 'Sie ist dorthin schon unterwegs. Ein neuer Versuch ihrer Zustellung schickt sie sofort:',
      waits: (hold) => `Sie wird warten: ${hold}.`,
      go: 'Wiederholen',
      filter: 'Wiederholung',
      to: (name) => `Wiederholung an ${name}:`,
    },
    replayedOf: (replayed, matched) => `${number(replayed)} wiederholt, ${number(matched)} bisher gefunden`,
    none: 'Noch keine Wiederholung',
    noneWhy: 'Eine Wiederholung versucht alle unzustellbaren neu, die ein Filter trifft, und zeigt hier ihren Stand.',
    what: 'Welche',
    allLetters: 'Alle offenen Unzustellbaren',
    allDeliveries: 'Alle, die nicht angekommen sind',
    missing: 'nur fehlende',
    replayed: 'Wiederholt',
    failed: 'Nicht wiederholt',
    outcome: {
      title: 'Ergebnis',
      states: { underWay: 'In Zustellung', failed: 'Teils gescheitert', asked: 'Alle angefordert' },
      heads: { succeeded: 'Zugestellt', underWay: 'Unterwegs', failed: 'Gescheitert' },
      counts: {
        succeeded: (count) => `${count} zugestellt`,
        underWay: (count) => `${count} unterwegs`,
        failed: (count) => `${count} wieder gescheitert`,
      },
      elsewhere: (count) =>
        `${number(count)} hier nicht gezählt: Sie wurden später noch einmal angefordert, sind entfernt, oder eine frühere Version hat sie wiederholt.`,
      see: 'Zustellungen ansehen',
    },
    of: (done, all, isMore = false) => `${number(done)} von ${isMore ? 'mindestens ' : ''}${number(all)}`,
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
    shortPace: (rate, left) =>
      [...(left === undefined ? [] : [`noch ${left}`]), ...(rate === undefined ? [] : [`${number(rate)}/s`])].join(
        ', ',
      ),
    seeReplayed: 'Wiederholte ansehen',
    failedWhy: 'Das Abonnement oder der Workflow ist gelöscht.',
    repeat: {
      delivery: (count, isMore) => `Fehler wiederholen: ${number(count)}${isMore ? '+' : ''}`,
      run: (count) => `Gescheiterte Läufe wiederholen: ${number(count)}`,
    },
    repeatWhy: {
      delivery:
        'Genau die Zustellungen, die zuletzt diese Wiederholung fällig gemacht hat und die wieder gescheitert sind, aus welchem Grund auch immer. Solche, deren Unzustellbare verworfen wurde, bleiben liegen.',
      run: 'Alle Läufe dieses Bereichs, die seit Beginn der Wiederholung aufgegeben wurden, aus welchem Grund auch immer. Manche gehören vielleicht nicht zu ihr, etwa Läufe, die erst danach begannen. Gefunden werden sie mit diesem Filter:',
    },
    cancel: 'Wiederholung abbrechen',
    noRetry: 'Noch kein neuer Versuch',
    noRetryWhy: 'Ein neuer Versuch gilt allen Zustellungen, die ein Filter trifft, und zeigt hier seinen Stand.',
    retried: 'Neu versucht',
    notRetried: 'Nicht versucht',
    notRetriedWhy: 'Die Nachricht oder das Abonnement ist gelöscht.',
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
      replayId: 'Wiederholung',
      since: 'Entstanden seit',
      until: 'Entstanden vor',
    },
  },
};
