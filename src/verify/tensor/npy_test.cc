#include "verify/tensor/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Returns an array file of version 1.
std::string npy(const std::string& descr, const std::string& shape, const std::string& bytes,
                const std::string& order = "False") {
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
  const auto length = static_cast<char>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + length + '\0' + header + bytes;
}

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xffU);
  }
  return text;
}

/// Returns an archive with one stored member.
std::string npz(const std::string& name, const std::string& content, std::uint64_t method = 0) {
  const std::string sizes = number(0, 4) + number(content.size(), 4) + number(content.size(), 4);
  const std::string local = "PK\x03\x04" + number(20, 2) + number(0, 2) + number(method, 2) +
                            number(0, 4) + sizes + number(name.size(), 2) + number(0, 2) + name +
                            content;
  const std::string entry = "PK\x01\x02" + number(20, 2) + number(20, 2) + number(0, 2) +
                            number(method, 2) + number(0, 4) + sizes + number(name.size(), 2) +
                            number(0, 16) + name;
  return local + entry + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(entry.size(), 4) + number(local.size(), 4) + number(0, 2);
}

class NpyTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(const std::string& name,
                                            const std::string& content) const {
    EXPECT_TRUE(writeFile(folder_.path() / name, content));
    return folder_.path() / name;
  }
  ScratchFolder folder_ = ScratchFolder::create("hone-npy-test").value();
};

TEST_F(NpyTest, ReadsTypeShapeAndValues) {
  const auto read = readNpy(write("a.npy", npy("<i4", "(2, 1)", number(7, 4) + number(9, 4))));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->type.text(), "2x1xi32");
  EXPECT_THAT(toNumbers<std::int64_t>(*read), ElementsAre(7, 9));
  EXPECT_EQ(readNpy(write("s.npy", npy("<i8", "()", number(3, 8))))->type.text(), "i64");
  EXPECT_EQ(readNpy(write("v.npy", npy("|u1", "(3,)", "abc")))->type.text(), "3xi8");
}

TEST_F(NpyTest, RejectsUnsupportedFiles) {
  const auto error = [&](const std::string& content) {
    const auto read = readNpy(write("bad.npy", content));
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(error("text"), HasSubstr("is not a NumPy array"));
  EXPECT_THAT(error(npy("<c8", "(1,)", number(0, 8))), HasSubstr("unsupported type '<c8'"));
  EXPECT_THAT(error(npy(">f4", "(1,)", number(0, 4))), HasSubstr("unsupported type '>f4'"));
  EXPECT_THAT(error(npy("|O", "(1,)", number(0, 8))), HasSubstr("unsupported type '|O'"));
  EXPECT_THAT(error(npy("<i4", "(2,)", number(0, 4))), HasSubstr("expected 8 bytes"));
  EXPECT_THAT(error(npy("<i4", "(2,)", number(0, 12))), HasSubstr("expected 8 bytes"));
  for (const char* shape : {"(-1,)", "(1, -1)", "(1.5,)", "(x,)", "3", "", "(1", "(, 1)",
                            "(99999999999999999999,)", "(4294967296, 4294967296)"}) {
    EXPECT_THAT(error(npy("<i4", shape, number(0, 4))), HasSubstr("invalid shape")) << shape;
  }
  std::string huge = npy("<i4", "(1,)", number(0, 4));
  huge[6] = 2;
  EXPECT_THAT(error(huge), HasSubstr("is truncated")) << "a header of 4 GB";
  huge[6] = '\x80';
  EXPECT_THAT(error(huge), HasSubstr("unsupported format version 128"));
  EXPECT_THAT(error(npy("<i4", "(1,)", number(0, 4), "True")), HasSubstr("column-major"));
}

TEST_F(NpyTest, ReadsStoredArchives) {
  const std::string array = npy("<i4", "(1,)", number(5, 4));
  const auto read = readNpz(write("a.npz", npz("ids.npy", array)));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1U);
  EXPECT_EQ(read->front().name, "ids");
  EXPECT_THAT(toNumbers<std::int64_t>(read->front().tensor), ElementsAre(5));
  const auto compressed = readNpz(write("c.npz", npz("ids.npy", array, 8)));
  ASSERT_FALSE(compressed);
  EXPECT_THAT(compressed.error().message, HasSubstr("is compressed"));
  EXPECT_FALSE(readNpz(write("t.npz", "text")));
  const auto empty = readNpz(write("e.npz", "PK\x05\x06" + number(0, 18)));
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("has no arrays"));
}

}  // namespace
}  // namespace hone::verify
