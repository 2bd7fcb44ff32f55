import t from 'tap'
import { celBefore, celList, celText } from '../../../src/core/api/cel.ts'

t.test('a text stays one literal, whatever it holds', async (t) => {
  t.equal(celText('rightslice.dev/slice'), "'rightslice.dev/slice'")
  t.equal(celText("it's"), String.raw`'it\'s'`)
  t.equal(celText('a\\'), String.raw`'a\\'`)
  t.equal(celList(['a', "b'"]), String.raw`['a', 'b\'']`)
  t.equal(celList([]), '[]')
})

t.test('a new object was nothing before', async (t) => {
  t.equal(
    celBefore('metadata.?labels'),
    "(request.operation == 'CREATE' ? optional.none() : oldObject.metadata.?labels)"
  )
})
