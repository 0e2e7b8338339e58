package dev.rlm.episodes;

import java.util.List;

/** Tools that are there as long as it is open, such as those of a connected server. */
public interface ToolSource extends AutoCloseable {
    /** The tools, in the order in which models are told of them. */
    List<Tool> tools();

    /** Frees what it holds, within seconds whatever the other side does. Throws nothing. */
    @Override
    void close();
}
