package dev.rlm.gateway;

import dev.rlm.cli.Commits;
import dev.rlm.cli.Console;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.RecordPlaces;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.index.IndexCache;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Gateway of a command: sinks, rollouts and, once it listens, the server. For one thread. */
final class Gateway implements AutoCloseable {
    private final Console console;
    private final Forwarder.Settings settings;
    private final Duration idleTimeout;
    private final Sinks sinks;
    private final StartRecovery recovery;
    private final Commits commits;
    private final RolloutStates states;
    private final Rollouts rollouts;
    private @Nullable Listening listening;
    private boolean closed;

    /**
     * Opens the sinks, and says which of them are not there.
     *
     * @param idleTimeout of a rollout of which nothing is heard
     */
    Gateway(
            Console console,
            SinkConfig config,
            SinkOptions sinkOptions,
            ForwardingOptions options,
            Forwarder.Settings settings,
            Rollouts.Naming naming,
            Duration idleTimeout) {
        this.console = console;
        this.settings = settings;
        this.idleTimeout = idleTimeout;
        sinks = sinkOptions.open(config);
        recovery = StartRecovery.of(sinkOptions.configured(config), sinkOptions.names(), sinks, console.err());
        if (settings.key() != null) {
            sinks.registerSecret(settings.key());
        }
        commits = new Commits(sinks, options.syncTimeout());
        if (!commits.areDurable()) {
            say(
                    "warning: no sink keeps a durable record: replies wait for none, and rollouts are forgotten at the end");
        }
        sinks.statuses().stream()
                .filter(each -> each.enabled() && !each.available())
                .forEach(each -> say("warning: sink '" + each.name() + "' is not available: " + each.detail()));
        Path journal = Journal.configured(sinkOptions.configured(config))
                .toAbsolutePath()
                .normalize();
        states = new RolloutStates(
                new RolloutArchive(RecordPlaces.areIn(journal, sinks) ? journal : null, IndexCache.configured(config)));
        sinks.add("rollouts", states);
        rollouts = new Rollouts(sinks, states, naming, idleTimeout);
    }

    Sinks sinks() {
        return sinks;
    }

    Rollouts rollouts() {
        return rollouts;
    }

    /** Returns how many calls were recorded. */
    long calls() {
        return listening == null ? 0 : listening.forwarder.calls();
    }

    /**
     * Listens.
     *
     * @param port 0 for any free one
     * @return the port
     * @throws UsageException if the port cannot be had
     */
    int listen(InetAddress address, int port, Access access) {
        Forwarder forwarder = new Forwarder(settings, access, rollouts, commits);
        RolloutDoor door = new RolloutDoor(rollouts, states, commits, idleTimeout);
        try {
            GatewayServer server = new GatewayServer(address, port, settings.maxCalls(), access, forwarder, door);
            listening = new Listening(forwarder, server, watch());
            return server.port();
        } catch (IOException e) {
            forwarder.close();
            throw new UsageException("--port=" + port + " cannot be had: " + e.getMessage() + "; 0 takes a free one");
        }
    }

    private ScheduledExecutorService watch() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rlm-gateway-idle");
            thread.setDaemon(true);
            return thread;
        });
        var unused = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        rollouts.endIdle();
                    } catch (RuntimeException e) { // or it would be called no more
                        LoggerFactory.getLogger(Gateway.class).warn("idle rollouts were not ended: {}", e.toString());
                    }
                },
                1,
                1,
                TimeUnit.SECONDS);
        return timer;
    }

    /** Stops what goes on, brings all to where it belongs, and says what did not get there. A second call does nothing. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (listening != null) {
            listening.stop();
            rollouts.stop();
        }
        long by = System.nanoTime() + Interruption.CLOSE_TIME.toNanos();
        sinks.close(Interruption.CLOSE_TIME);
        recovery.close(Duration.ofNanos(Math.max(0, by - System.nanoTime())));
        if (listening != null && listening.forwarder.unsynced() > 0) {
            say("warning: " + listening.forwarder.unsynced() + " calls went on without being known to be synced");
        }
        for (SinkStatus status : sinks.statuses()) {
            if (status.ledger().lost() + status.ledger().queued() > 0) {
                say("warning: sink '" + status.name() + "' lost "
                        + status.ledger().lost() + " of "
                        + status.ledger().offered() + " events; not known to have arrived: "
                        + status.ledger().queued());
            }
        }
    }

    /** Tells the user a line. */
    void say(String line) {
        console.err().println(Printable.line(line));
        console.err().flush();
    }

    private record Listening(Forwarder forwarder, GatewayServer server, ScheduledExecutorService watch) {
        void stop() {
            server.close();
            watch.shutdownNow();
            forwarder.close();
        }
    }
}
