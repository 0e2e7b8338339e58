package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.sinks.SinkConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which MCP servers' tools agents may call. */
final class McpOptions {
    static final String KIND = "mcp";
    private static final String TOKEN = "RLM_MCP_TOKEN";
    private static final Pattern NAMED = Pattern.compile("([a-zA-Z0-9_-]{1,32})=(.*)", Pattern.DOTALL);

    @Option(
            names = "--mcp",
            paramLabel = "[NAME=]SERVER",
            description = "Offer the tools of an MCP server, a command or a URL. May be repeated.")
    private List<String> servers = new ArrayList<>();

    @Option(
            names = "--mcp-env",
            paramLabel = "NAME[=VALUE]",
            description = "A variable that commands of --mcp see, as it is here or with that value. May be repeated.")
    private List<String> variables = new ArrayList<>();

    @Option(
            names = "--mcp-start-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long an MCP server may take to start (10s).")
    private Duration startTimeout = Duration.ofSeconds(10);

    @Option(
            names = "--tool-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a call of an MCP server's tool may take (1m).")
    private Duration callTimeout = Duration.ofSeconds(60);

    /** Returns the servers, in their order. */
    List<ToolAddress> addresses(SinkConfig config) {
        Bounds.checkAboveZero("--mcp-start-timeout", startTimeout);
        Bounds.checkAboveZero("--tool-timeout", callTimeout);
        Map<String, String> environment = environment(config.shared());
        return servers.stream()
                .map(server -> address(server, environment, config.shared()))
                .toList();
    }

    private Map<String, String> environment(SinkConfig config) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String variable : variables) {
            int sign = variable.indexOf('=');
            String name = sign < 0 ? variable : variable.substring(0, sign);
            if (name.isBlank()) {
                throw new UsageException("--mcp-env has no name: expected NAME or NAME=VALUE");
            }
            environment.put(name, sign < 0 ? here(name, config) : variable.substring(sign + 1));
        }
        return environment;
    }

    private static String here(String name, SinkConfig config) {
        return config.string(name)
                .orElseThrow(() -> new UsageException("--mcp-env " + name + ": there is no such variable here"));
    }

    private ToolAddress address(String server, Map<String, String> environment, SinkConfig config) {
        Matcher named = NAMED.matcher(server);
        boolean isNamed = named.matches();
        String name = isNamed ? named.group(1) : "";
        String location = isNamed ? named.group(2) : server;
        return new ToolAddress(name, location, environment, token(name, config), startTimeout, callTimeout);
    }

    /** A token is for the server whose it is: one that has a name gets no other's. */
    private static @Nullable String token(String name, SinkConfig config) {
        String variable = name.isEmpty()
                ? TOKEN
                : TOKEN + "_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
        return config.string(variable).orElse(null);
    }
}
