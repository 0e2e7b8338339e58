package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a journal, or some of them, to be sent through sinks again: with their own times, ids and numbers, in the
 * order in which they were recorded. Of the events it keeps none: it takes a few hundred bytes a run, and more only of
 * those that are open at the same time.
 *
 * <p>Runs that go on are left out. A run that has no end because its process died is sent with the one that
 * {@link Recovery} would write. The journal is only read.
 */
public final class Replay {
    private static final int REMEMBERED_ENDS = 4_096;

    private final Path directory;
    private final List<Path> writers;
    private final JournalIndex index;
    private final Predicate<JournalIndex.Entry> chosen;
    private final @Nullable Instant metricsSince; // null for none

    private Replay(
            Path directory,
            List<Path> writers,
            JournalIndex index,
            Predicate<JournalIndex.Entry> chosen,
            @Nullable Instant metricsSince) {
        this.directory = directory;
        this.writers = writers;
        this.index = index;
        this.chosen = chosen;
        this.metricsSince = metricsSince;
    }

    /**
     * All runs of the journal in a folder, or of what one of its writers has recorded, and the numbers of no run.
     *
     * @throws JournalException if there is none, or it cannot be read
     */
    public static Replay of(Path directory) {
        Path folder = directory.toAbsolutePath().normalize();
        List<Path> writers = JournalFolder.existing(folder);
        try {
            return new Replay(folder, writers, JournalIndex.of(writers), run -> true, Instant.MIN);
        } catch (IOException e) {
            throw JournalFolder.unreadable(folder, e);
        }
    }

    /** The runs that have an end in the folder of one writer, and nothing else. */
    static Replay ofEnded(Path writer) throws IOException {
        List<Path> writers = List.of(writer);
        return new Replay(writer, writers, JournalIndex.of(writers), JournalIndex.Entry::hasEnded, null);
    }

    /**
     * Of these runs those alone that have one of the ids, or the only one that begins like it.
     *
     * @throws JournalException if there is none, or more than one; the message names candidates
     */
    public Replay runs(Collection<String> idsOrPrefixes) {
        Set<String> ids = new HashSet<>();
        idsOrPrefixes.forEach(id -> ids.add(index.resolve(id, directory)));
        return new Replay(directory, writers, index, chosen.and(run -> ids.contains(run.runId())), null);
    }

    /** Of these runs, and of the numbers of no run, those alone that started then or later. */
    public Replay since(Instant time) {
        return new Replay(
                directory,
                writers,
                index,
                chosen.and(run -> !run.startedAt().isBefore(time)),
                metricsSince == null ? null : time);
    }

    /** How many runs there are to send. */
    public int size() {
        return (int) index.runs().stream()
                .filter(chosen)
                .filter(run -> !run.isLive())
                .count();
    }

    /** How many runs are left out because they go on. */
    public int liveRuns() {
        return (int) index.runs().stream()
                .filter(chosen)
                .filter(JournalIndex.Entry::isLive)
                .count();
    }

    /**
     * Sends them, and waits until they have arrived or cannot. Interrupted, it stops.
     *
     * @param sinks a hub that was made with {@link Sinks.Builder#resending}; it is not closed
     * @param ended told how many runs have been sent so far
     * @throws JournalException if the journal cannot be read
     */
    public Resent sendTo(Sinks sinks, IntConsumer ended) {
        try (Delivery delivery = new Delivery(sinks)) {
            Pass pass = new Pass(delivery, ended);
            send(pass);
            delivery.arrived();
            boolean interrupted = delivery.isInterrupted();
            return new Resent(pass.runsSent, delivery.published(), pass.damagedLines, interrupted, delivery.results());
        }
    }

    /** Sends them without waiting for what comes of it; how many runs. */
    int sendBy(Delivery delivery, IntConsumer ended) {
        Pass pass = new Pass(delivery, ended);
        send(pass);
        return pass.runsSent;
    }

    private void send(Pass pass) {
        try {
            for (Path writer : writers) {
                for (Path file : JournalFolder.eventFiles(writer)) {
                    LineFile.read(
                            file,
                            0,
                            (bytes, from, length) -> pass.line(
                                    writer,
                                    file,
                                    LineHead.of(bytes, from, length),
                                    () -> Fields.parse(bytes, from, length)));
                }
            }
            pass.endTheRest();
        } catch (Stopped | ClosedByInterruptException e) {
            // there is no sense in going on
        } catch (IOException e) {
            throw JournalFolder.unreadable(directory, e);
        }
    }

    /** One reading of all files. */
    private final class Pass {
        private final Delivery delivery;
        private final IntConsumer ended;
        private final Map<String, UnendedRun> open = new LinkedHashMap<>();
        private final Map<String, Path> folders = new HashMap<>(); // of the open runs
        private final Map<String, Long> ends = new HashMap<>(); // their numbers
        private final Map<String, RunInfo> lately = new LinkedHashMap<>() { // ended
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, RunInfo> eldest) {
                        return size() > REMEMBERED_ENDS;
                    }
                };
        private int runsSent;
        private long damagedLines;

        Pass(Delivery delivery, IntConsumer ended) {
            this.delivery = delivery;
            this.ended = ended;
        }

        void line(Path writer, Path file, @Nullable LineHead head, Supplier<Fields> line) {
            if (head == null) {
                damagedLines++;
                return;
            }
            try {
                if (head.type().equals(JournalWriter.JOURNAL)) {
                    JournalScan.checkVersion(file, line.get());
                } else if (head.type().equals(EventWriter.METRICS_REPORTED)) {
                    metrics(line.get());
                } else if (isChosen(head.runId())) {
                    event(writer, head, line);
                }
            } catch (JournalException | Stopped e) {
                throw e;
            } catch (RuntimeException e) {
                damagedLines++;
            }
        }

        private void metrics(Fields line) {
            if (metricsSince != null) {
                MetricsReported event = EventReader.metricsReported(line);
                if (!event.time().isBefore(metricsSince)) {
                    publish(event);
                }
            }
        }

        private boolean isChosen(String runId) {
            return index.find(runId).filter(chosen).filter(run -> !run.isLive()).isPresent();
        }

        private void event(Path writer, LineHead head, Supplier<Fields> line) {
            Long end = ends.get(head.runId());
            if (end == null) {
                openEvent(writer, head.runId(), line.get());
            } else if (head.seq() > end) {
                late(head.runId(), line.get()); // what comes again, as from a copy, is passed over
            }
        }

        /** A reward that came after the end; of a run that ended long before, its line must tell enough. */
        private void late(String runId, Fields line) {
            RunInfo known = lately.get(runId);
            publish(new EventReader(known == null ? EventReader.run(line) : known).read(line));
        }

        private void openEvent(Path writer, String runId, Fields line) {
            UnendedRun known = open.get(runId);
            UnendedRun run = known == null ? new UnendedRun(line) : known;
            RunEvent event = run.read(line);
            open.putIfAbsent(runId, run);
            folders.put(runId, writer);
            if (event instanceof RunEnded end) {
                open.remove(runId);
                folders.remove(runId);
                end(end);
            } else {
                publish(event);
            }
        }

        private void end(RunEnded end) {
            ends.put(end.run().runId(), end.seq());
            lately.put(end.run().runId(), end.run());
            publish(end);
            ended.accept(++runsSent);
        }

        /** Makes up the ends of runs whose processes died. */
        void endTheRest() {
            open.forEach((runId, run) -> end(run.abandoned(String.valueOf(folders.get(runId)))));
        }

        private void publish(@Nullable Event event) {
            if (event != null && !delivery.publish(event)) {
                throw new Stopped();
            }
        }
    }

    /** Nobody takes events any more. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }
}
