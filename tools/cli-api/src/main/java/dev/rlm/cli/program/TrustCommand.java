package dev.rlm.cli.program;

import dev.rlm.cli.UsageException;
import dev.rlm.cli.Verb;
import dev.rlm.sinks.TrustedFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The verb {@code trust}: lets the files of settings of a folder say what only the user may. */
@Command(
        name = "trust",
        mixinStandardHelpOptions = true,
        description = "Lets rlm.properties of a folder, and of those in it, say where keys and records go, what code is"
                + " loaded and whether secrets are taken out. Without it such settings do not count: a folder may have"
                + " come from elsewhere. Look at the file first.")
public final class TrustCommand extends Verb {
    @Parameters(arity = "0..1", paramLabel = "FOLDER", description = "The folder (this one).")
    private Path folder = Path.of("");

    @Override
    protected int execute() throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new UsageException(folder + " is not a folder");
        }
        out().println("trusted: " + TrustedFolders.add(folder) + " (" + TrustedFolders.file() + " has a line for it)");
        return 0;
    }
}
