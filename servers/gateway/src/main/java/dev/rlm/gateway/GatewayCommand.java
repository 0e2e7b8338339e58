package dev.rlm.gateway;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.Interruption;
import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.Token;
import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Counted;
import dev.rlm.server.http.Access;
import dev.rlm.server.http.Endpoint;
import dev.rlm.server.http.ListenOptions;
import dev.rlm.sinks.SinkProvider.Variable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command that records agents by the base URL of their model. */
@Command(
        name = "gateway",
        description =
                "Records agents that are not changed for it: forwards the calls of their model, records each, and tells"
                        + " trainers of rollouts.",
        sortOptions = false,
        mixinStandardHelpOptions = true)
public final class GatewayCommand extends Verb {
    private static final String TOKEN = "RLM_GATEWAY_TOKEN";

    @Mixin
    private final ListenOptions listen = new ListenOptions(4_000);

    @Option(
            names = "--tokens",
            paramLabel = "FILE",
            description = "Tokens of jobs: lines of a name and a token. Each job sees its own rollouts alone.")
    private @Nullable Path tokens;

    @Mixin
    private final ForwardingOptions forwarding = new ForwardingOptions();

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "A rollout of which nothing is heard for so long has ended (10m).")
    private Duration idleTimeout = Duration.ofMinutes(10);

    @Mixin
    private final SinkOptions sinkOptions = new SinkOptions();

    @Override
    public List<Variable> variables() {
        return List.of(new Variable(
                TOKEN,
                "",
                "what requests to rlm gateway must know; 16 to 512 visible ASCII characters; made up"
                        + " where others can reach it"));
    }

    @Override
    public Set<String> namedVariables() {
        return forwarding.namedVariables();
    }

    @Override
    protected int execute() throws InterruptedException {
        Endpoint endpoint = listen.endpoint();
        boolean loopback = endpoint.host().isLoopbackAddress();
        Bounds.checkAboveZero("--idle-timeout", idleTimeout);
        if (!forwarding.leadAnywhere()) {
            throw new UsageException("nowhere to forward to: expected --upstream, --route or --allow-upstream");
        }
        Forwarder.Settings settings = forwarding.settings(config(), List.of());
        CountDownLatch stop = new CountDownLatch(1);
        try (Interruption ignored = new Interruption(console(), stop::countDown);
                Gateway gateway = new Gateway(
                        console(),
                        config(),
                        sinkOptions,
                        forwarding,
                        settings,
                        Forwarder.Naming.GIVEN,
                        List.of(),
                        idleTimeout)) {
            Token token = Token.of(config(), TOKEN);
            Map<String, Token> jobs = tokens == null ? Map.of() : Token.named(tokens);
            boolean asked = !token.isMade() || (!loopback && jobs.isEmpty());
            Access access = new Access(asked ? token : null, jobs, loopback);
            access.tokens().forEach(each -> gateway.sinks().registerSecret(each.value()));
            int bound = gateway.listen(endpoint, access);
            gateway.say("listening on " + endpoint.url(bound)
                    + (asked ? ", token " + (token.isMade() ? token.value() : "as " + TOKEN + " says") : "")
                    + (jobs.isEmpty() ? "" : ", tokens of " + jobs.size() + " jobs"));
            stop.await();
            gateway.close();
            gateway.say("recorded " + Counted.of(gateway.calls(), "call"));
            return Interruption.EXIT_CODE;
        }
    }
}
