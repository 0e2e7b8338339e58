package dev.rlm.runner.job;

import dev.rlm.cli.UsageException;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolSource;
import dev.rlm.episodes.ToolSourceProvider;
import dev.rlm.runner.episode.Toolbox;
import java.util.ArrayList;
import java.util.List;

/** The tools of all sources, which are connected until it is closed. */
final class ConnectedTools implements AutoCloseable {
    private final List<ToolSource> sources = new ArrayList<>();
    private final List<Tool> tools = new ArrayList<>();

    /** Connects a further one. Where that fails all are closed. */
    void add(ToolSourceProvider provider, ToolAddress address) {
        try {
            ToolSource source = provider.connect(address);
            sources.add(source);
            source.tools().forEach(this::add);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void add(Tool tool) {
        String name = tool.spec().name();
        if (tools.stream().anyMatch(other -> other.spec().name().equals(name))) {
            throw new UsageException("two tools are named '" + name
                    + "': give a server a name (--mcp NAME=SERVER), with which the names of its tools begin");
        }
        tools.add(tool);
    }

    Toolbox toolbox() {
        return new Toolbox(tools);
    }

    @Override
    public void close() {
        sources.forEach(ToolSource::close);
    }
}
