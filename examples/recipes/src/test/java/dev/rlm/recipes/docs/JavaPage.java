package dev.rlm.recipes.docs;

import dev.rlm.cli.testkit.page.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Blocks of Java of a page with what the page leaves to its reader: a prelude, a file in the resources beside this class with the page's name.
 * Its first line has the numbers of the blocks and the dependencies, whose versions may be properties of the build's poms. Blocks
 * are methods {@code block1()} … of its class {@code Page}, or members of it where they are methods or classes; one with a package or imports
 * is a file of its own.
 *
 * @param name that of the page, without its folder
 */
record JavaPage(String name, List<Integer> blocks, List<String> dependencies, String prelude) {
    private static final Path PRELUDES = Path.of("src/test/resources/dev/rlm/recipes/docs");
    private static final Pattern HEAD = Pattern.compile("// ([\\d ]+): ([^\\n]*)\\n");
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([\\w.-]+)}");
    private static final Pattern LEFT_OUT = Pattern.compile("\\{\\s*…\\s*}");

    /** Returns all there are. */
    static List<JavaPage> all() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.list(PRELUDES)) {
            files = found.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
        List<JavaPage> all = new ArrayList<>();
        for (Path file : files) {
            all.add(read(file.getFileName().toString().replace(".java", "")));
        }
        return all;
    }

    /** Reads the prelude of that name: the page's, with a further name behind a dot where a page has several. */
    static JavaPage read(String prelude) throws IOException {
        String text = Files.readString(PRELUDES.resolve(prelude + ".java"));
        Matcher head = HEAD.matcher(text);
        if (!head.lookingAt()) {
            throw new AssertionError(prelude + " does not begin with blocks and dependencies");
        }
        String poms = Files.readString(OutsideProject.ROOT.resolve("pom.xml")) + Files.readString(Path.of("pom.xml"));
        String dependencies = PROPERTY.matcher(head.group(2))
                .replaceAll(name -> poms.replaceFirst("(?s).*<" + name.group(1) + ">([^<]+)<.*", "$1"));
        return new JavaPage(
                prelude.replaceFirst("\\..*", ""),
                Stream.of(head.group(1).trim().split(" ")).map(Integer::valueOf).toList(),
                List.of(dependencies.trim().split(" ")),
                text);
    }

    /** Returns the page. */
    Path file() {
        return name.equals("README")
                ? OutsideProject.ROOT.resolve("README.md")
                : OutsideProject.ROOT.resolve("docs").resolve(name + ".md");
    }

    /** Returns the blocks of a page by their numbers, from 1 on, of all that are Java. */
    static Map<Integer, String> blocks(Path page) throws IOException {
        Map<Integer, String> blocks = new TreeMap<>();
        for (MarkdownPage.Block block : MarkdownPage.read(page).blocks()) {
            if (block.language().equals("java")) {
                blocks.put(blocks.size() + 1, block.text());
            }
        }
        return blocks;
    }

    /** Returns the files to be compiled. */
    List<String> sources() throws IOException {
        Map<Integer, String> shown = blocks(file());
        List<String> sources = new ArrayList<>();
        StringBuilder members = new StringBuilder();
        for (int number : blocks) {
            String code =
                    LEFT_OUT.matcher(shown.get(number)).replaceAll("{ throw new UnsupportedOperationException(); }");
            if (code.startsWith("package ") || code.startsWith("import ")) {
                sources.add(code);
            } else {
                members.append(member(number, code.strip()));
            }
        }
        int end = prelude.lastIndexOf('}');
        sources.add(prelude.substring(0, end) + members + prelude.substring(end));
        return sources;
    }

    private static String member(int number, String code) {
        if (code.startsWith("@") || code.startsWith("public ")) {
            return code + "\n";
        }
        String end = code.endsWith(")") ? ";" : ""; // an expression
        return "void block" + number + "() throws Exception {\n" + code + end + "\n}\n";
    }

    /** Returns whether the prelude runs its blocks. */
    boolean isProgram() {
        return prelude.contains("public static void main(");
    }

    @Override
    public String toString() {
        return name + " " + blocks;
    }
}
