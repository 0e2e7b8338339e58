package dev.rlm.runner.remote;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.episodes.SetupException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the policy that has rollouts done by a rollout server. */
public final class RemoteOptions {
    @Option(
            names = "--remote",
            paramLabel = "URL",
            description =
                    "Have rollouts done by the rollout server that takes POST URL/init; the policy is remote then.")
    private @Nullable String server;

    @Option(
            names = "--gateway",
            paramLabel = "URL",
            description = "The gateway through which that server asks its model and tells how rollouts end"
                    + " (http://localhost:4000).")
    private String gateway = "http://localhost:4000";

    @Option(
            names = "--remote-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a rollout may take once the server has taken it (10m).")
    private Duration timeout = Duration.ofMinutes(10);

    /** Returns whether a rollout server is named. */
    public boolean isGiven() {
        return server != null;
    }

    void check() {
        if (server == null) {
            throw new SetupException("--policy remote needs a --remote URL");
        }
        server();
        gateway();
        Bounds.checkAboveZero("--remote-timeout", timeout);
    }

    String server() {
        return base("--remote", String.valueOf(server));
    }

    String gateway() {
        return base("--gateway", gateway);
    }

    Duration timeout() {
        return timeout;
    }

    /** Says what is wrong without the URL, which may hold a key. */
    private static String base(String option, String url) {
        URI uri;
        try {
            uri = new URI(url.strip().replaceFirst("/+$", ""));
        } catch (URISyntaxException e) {
            throw notValid(option);
        }
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (uri.getHost() == null
                || uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || !(scheme.equals("http") || scheme.equals("https"))) {
            throw notValid(option);
        }
        return uri.toString();
    }

    private static SetupException notValid(String option) {
        return new SetupException(
                option + " is not valid: expected an address such as http://127.0.0.1:3000, without a user or a query");
    }
}
