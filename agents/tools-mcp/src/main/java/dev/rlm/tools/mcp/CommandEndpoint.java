package dev.rlm.tools.mcp;

import dev.rlm.episodes.ToolAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A server that is a program: each link starts a process of its own. */
final class CommandEndpoint implements ServerAddress {
    private final List<String> command;
    private final Map<String, String> environment;
    private final String label;

    CommandEndpoint(ToolAddress address) {
        command = CommandLine.split(address.location());
        environment = address.environment();
        label = address.name().isEmpty() ? program(command.get(0)) : address.name();
    }

    private static String program(String path) {
        Path name = Path.of(path).getFileName();
        return name == null ? path : name.toString();
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Link open() throws IOException {
        return new ProcessLink(ServerProcess.start(command, environment, label));
    }

    @Override
    public Map<String, Object> attributes() {
        return Map.of("network.transport", "pipe");
    }
}
