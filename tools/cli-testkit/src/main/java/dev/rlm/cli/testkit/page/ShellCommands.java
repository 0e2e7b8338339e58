package dev.rlm.cli.testkit.page;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The commands of a piece of shell script, each as its words; of what a shell knows only what documents use. */
public final class ShellCommands {
    private static final Pattern PLACEHOLDER = Pattern.compile("<[a-z][a-z ]*>");

    private final List<List<String>> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private StringBuilder word = new StringBuilder();
    private boolean inWord;
    private boolean redirected; // the next word names a file

    private ShellCommands() {}

    /** Returns the commands, each with its program first and without the variables before it. */
    public static List<List<String>> of(String script) {
        return new ShellCommands()
                .read(PLACEHOLDER.matcher(script).replaceAll("…")).stream()
                        .map(command -> command.stream()
                                .dropWhile(first -> first.equals("$") || first.matches("[A-Za-z_]\\w*=.*"))
                                .collect(Collectors.toList()))
                        .filter(command -> !command.isEmpty())
                        .toList();
    }

    /** Returns the commands that start {@code rlm}, without its name. */
    public static List<List<String>> ofRlm(String script) {
        return of(script).stream()
                .filter(command -> command.get(0).matches("(.*/)?rlm"))
                .map(command -> command.subList(1, command.size()))
                .toList();
    }

    private List<List<String>> read(String script) {
        char quote = 0;
        for (int i = 0; i < script.length(); i++) {
            char next = script.charAt(i);
            if (quote != 0) {
                if (next == quote) {
                    quote = 0;
                } else {
                    word.append(next);
                }
            } else if (next == '\'' || next == '"') {
                quote = next;
                inWord = true;
            } else if (next == '\\' && i + 1 < script.length()) {
                i++;
                if (script.charAt(i) != '\n') {
                    add(script.charAt(i));
                }
            } else if (next == '#' && !inWord) {
                i = script.indexOf('\n', i) < 0 ? script.length() : script.indexOf('\n', i) - 1;
            } else if (next == ' ' || next == '\t') {
                endWord();
            } else if ("\n|&;()".indexOf(next) >= 0) {
                endCommand();
            } else if (next == '<' || next == '>') {
                endWord();
                redirected = true;
            } else {
                add(next);
            }
        }
        endCommand();
        return commands;
    }

    private void add(char next) {
        word.append(next);
        inWord = true;
    }

    private void endWord() {
        if (inWord && !redirected) {
            words.add(word.toString());
        }
        redirected &= !inWord;
        word = new StringBuilder();
        inWord = false;
    }

    private void endCommand() {
        endWord();
        redirected = false;
        if (!words.isEmpty()) {
            commands.add(words);
            words = new ArrayList<>();
        }
    }
}
