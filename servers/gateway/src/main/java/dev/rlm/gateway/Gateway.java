package dev.rlm.gateway;

import dev.rlm.cli.Commits;
import dev.rlm.cli.Console;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.StartRecovery;
import dev.rlm.cli.terminal.Printable;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.rollout.RolloutRequests;
import dev.rlm.server.rollout.Rollouts;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gateway of a command: sinks, rollouts and, once it listens, the server. For one thread. */
final class Gateway implements AutoCloseable {
    private final Console console;
    private final Forwarder.Settings settings;
    private final Forwarder.Naming naming;
    private final Sinks sinks;
    private final StartRecovery recovery;
    private final Commits commits;
    private final Rollouts rollouts;
    private @Nullable Listening listening;
    private boolean closed;

    /**
     * Opens the sinks, and says which of them are not there.
     *
     * @param command that makes the calls; empty where it is not known
     * @param idleTimeout of a rollout of which nothing is heard
     */
    Gateway(
            Console console,
            SinkConfig config,
            SinkOptions sinkOptions,
            ForwardingOptions options,
            Forwarder.Settings settings,
            Forwarder.Naming naming,
            List<String> command,
            Duration idleTimeout) {
        this.console = console;
        this.settings = settings;
        this.naming = naming;
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
        rollouts = new Rollouts(sinks, sinkOptions.configured(config), command, idleTimeout);
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
     * @return the port
     */
    int listen(Endpoint endpoint, Access access) {
        Forwarder forwarder = new Forwarder(settings, access, rollouts, naming, commits);
        RolloutRequests rolloutRequests = new RolloutRequests(rollouts, commits, forwarder.memory());
        GatewayServer server = new GatewayServer(endpoint, settings.maxCalls(), access, forwarder, rolloutRequests);
        listening = new Listening(forwarder, server);
        return server.port();
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
        }
        rollouts.close();
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

    private record Listening(Forwarder forwarder, GatewayServer server) {
        void stop() {
            try {
                forwarder.stop();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            server.close();
            forwarder.close();
        }
    }
}
