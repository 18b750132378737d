import type { enAutomations } from './en-automations.ts';
import type { Texts } from './en.ts';

/** German words of the pages of workflows and their runs. */
export const deAutomations: Pick<Texts, keyof typeof enAutomations> = {
  workflows: {
    diagram: 'Bild der Schritte',
    one: 'Workflow',
    make: 'Workflow anlegen',
    none: 'Noch kein Workflow',
    noneWhy:
      'Ein Workflow sagt, was auf eine Nachricht, einen Webhook oder eine Zeit folgt: Anfragen, Bedingungen, Pausen, Freigaben.',
    trigger: 'Auslöser',
    steps: 'Schritte',
    definition: 'Definition',
    definitionHint: 'JSON: ein Name, ein Auslöser und Schritte. Alle Arten stehen in docs/workflows.md.',
    valid: 'Nichts ist falsch daran',
    tabs: { definition: 'Definition', runs: 'Läufe', trial: 'Probe' },
    means: {
      active: 'Läufe beginnen, wie der Auslöser es sagt.',
      paused: 'Kein Lauf beginnt, und die begonnenen halten vor ihrem nächsten Schritt.',
      draft: 'Vor der Aktivierung beginnt kein Lauf.',
    },
    activate: 'Aktivieren',
    pause: 'Anhalten',
    start: 'Lauf beginnen',
    trialWhy:
      'Macht die Schritte der gespeicherten Definition mit einer erdachten Nachricht. Nichts verlässt den Dienst: Antworten anderer sind erfunden.',
    try: 'Probieren',
    deleteTitle: (name) => `Workflow ${name} löschen?`,
    deleteWhy: 'Begonnene Läufe werden abgebrochen. Beendete bleiben, bis sie ablaufen.',
  },
  runs: {
    none: 'Noch kein Lauf',
    noneWhy: 'Läufe beginnen, wie die Auslöser aktiver Workflows es sagen, oder wenn jemand einen beginnt.',
    took: 'Dauer',
    version: (version) => `Fassung ${version}`,
    input: 'Hinein',
    output: 'Heraus',
    noStep: 'Kein Schritt hat begonnen.',
    failedAt: (step, message) => (step === undefined ? message : `${step}: ${message}`),
    filtered: 'Ausgesiebt',
    filteredBy: (step) => `Der Filter ${step} hat ihn nicht weitergelassen.`,
    thenTitle: 'Die Definition dieses Laufs',
    asItWas: (version) => `So, wie sie damals war: Fassung ${version}.`,
    today: 'Der Workflow, wie er heute ist',
    noneOfMessage: 'Kein Workflow hat mit ihr begonnen.',
    retryFailed: 'Ab dem gescheiterten Schritt',
    retryStart: 'Von vorn',
    retryAsked: 'Neuer Versuch verlangt',
    cancel: 'Lauf abbrechen',
    cancelThem: (count: number) => (count === 1 ? '1 Lauf abbrechen' : `${count} Läufe abbrechen`),
    cancelTitle: (count: number) => (count === 1 ? '1 Lauf abbrechen?' : `${count} Läufe abbrechen?`),
    cancelWhy:
      'Laufende Schritte enden sofort, und was sie getan haben, bleibt getan. Läufe, die zu Ende sind, bleiben wie sie sind.',
    cancelled: 'Läufe abgebrochen',
    approve: 'Freigeben',
    reject: 'Ablehnen',
    comment: 'Kommentar',
    form: 'Formular',
    data: 'Antworten auf das Formular, als JSON',
    decideUntil: 'Zu entscheiden bis',
  },
};
