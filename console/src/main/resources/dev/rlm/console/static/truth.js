import {count} from './format.js'

/** What can be said of the record at a glance, of what `rlm report` prints. */
export function truth(report) {
  const lost = report.losses.reduce((sum, loss) => sum + (loss.lost ?? 0), 0)
  const {all} = report
  const parts = [
    all.incomplete_runs && `${count(all.incomplete_runs)} runs lack events`,
    report.damaged_lines + report.damaged_events && `${count(report.damaged_lines + report.damaged_events)} damaged lines`,
    lost && `${count(lost)} events lost`,
    all.abandoned && `${count(all.abandoned)} runs whose process died`
  ].filter(Boolean)
  return {whole: parts.length === 0, text: parts.length ? parts.join(', ') : `complete: ${count(report.journal_runs)} runs`}
}
