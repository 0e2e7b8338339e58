package dev.rlm.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option that keeps a server's token in a file of its user alone, in the place of printing it. */
public final class TokenFile {
    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Keep the server's token there, for this user alone, in the place of printing it.")
    private @Nullable Path file;

    /** Returns whether there is one. */
    public boolean isGiven() {
        return file != null;
    }

    /** Writes the token, if a file is given. */
    public void write(Token token) {
        if (file != null) {
            try {
                token.write(file);
            } catch (IOException | UnsupportedOperationException e) {
                throw new UsageException("--token-file=" + file + " cannot be written: " + e);
            }
        }
    }

    /**
     * Deletes the file, if one is given and has this token.
     *
     * @return what went wrong; the token is good for nothing by then
     */
    public Optional<String> delete(Token token) {
        if (file != null) {
            try {
                token.deleteFrom(file);
            } catch (IOException e) {
                return Optional.of(file + " cannot be deleted: " + e);
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return String.valueOf(file);
    }
}
