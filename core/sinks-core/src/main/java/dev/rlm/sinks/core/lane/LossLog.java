package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Ledger;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Log of what a lane loses: it tells at once when a reason is new, from then on once a minute, and once it has delivered
 * for ten seconds without a loss, that it does. Told how the ledger stands where the lane learns of losses, so that what is
 * delivered after them is known to be, and about once a second. By any thread.
 */
final class LossLog {
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Reasons that need no line of their own when they are new: one that tells more was said. */
    private static final Set<String> EXPLAINED =
            Set.of(Reasons.SINK_ERROR, Reasons.QUARANTINED, Reasons.HUNG, Reasons.SINK_DEAD);

    private final ThrottledLog log;
    private final LongSupplier nanoTime;
    private Map<String, Long> seen = Map.of();
    private Map<String, Long> said = Map.of();
    private Map<String, Long> recovered = Map.of(); // at the last line that told of a recovery
    private boolean losing; // said, and not followed by such a line
    private long lastSaid;
    private long lastLoss;
    private long deliveredThen;

    LossLog(ThrottledLog log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    synchronized void look(Ledger ledger) {
        SortedMap<String, Long> losses = ledger.losses();
        long now = nanoTime.getAsLong();
        if (!losses.equals(seen)) {
            seen = losses;
            lastLoss = now;
            deliveredThen = ledger.delivered();
        }
        if (!losses.equals(said)) {
            say(losses, now);
        } else if (losing && now - lastLoss >= CALM_NANOS && ledger.delivered() > deliveredThen) {
            sayRecovered(ledger, "delivers again");
        }
    }

    private void say(SortedMap<String, Long> losses, long now) {
        boolean first = true;
        for (Map.Entry<String, Long> loss : losses.entrySet()) {
            if (!said.containsKey(loss.getKey())) {
                if (!EXPLAINED.contains(loss.getKey())) {
                    log.say(loss.getValue() + " events dropped so far: " + loss.getKey());
                }
                first = false;
            }
        }
        if (first && now - lastSaid < REMINDER_NANOS) {
            return;
        } else if (first) {
            Map<String, Long> more = since(said, losses);
            log.say(sum(more) + " more events dropped: " + more);
        }
        said = losses;
        lastSaid = now;
        losing = true;
    }

    /** Says that the sink works again, and what was lost meanwhile. */
    synchronized void sayRecovered(Ledger ledger, String what) {
        SortedMap<String, Long> losses = ledger.losses();
        Map<String, Long> meanwhile = since(recovered, losses);
        log.say(what + "; " + sum(meanwhile) + " events were dropped: " + meanwhile);
        seen = losses;
        said = losses;
        recovered = losses;
        losing = false;
    }

    /** Says what was lost in all, at the end. */
    synchronized void sayAll(Ledger ledger) {
        if (ledger.lost() > 0) {
            log.say(ledger.lost() + " events dropped in all: " + ledger.losses());
        }
    }

    private static SortedMap<String, Long> since(Map<String, Long> before, Map<String, Long> now) {
        SortedMap<String, Long> more = new TreeMap<>();
        now.forEach((reason, count) -> {
            long added = count - before.getOrDefault(reason, 0L);
            if (added > 0) {
                more.put(reason, added);
            }
        });
        return more;
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
